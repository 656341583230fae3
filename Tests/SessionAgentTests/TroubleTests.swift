import AuthModel
import Glibc
import Scheduling
import Testing

@testable import SessionAgent

/// The machine's side of trouble: disks, locks, clocks, endless answers.
@Suite struct TroubleTests {
  @Test func `nothing is spent when its result could not be stored`() throws {
    let world = try FlowWorld()
    try world.begin()
    // Stands in for a full disk, which a test can't make without mounting one: no new file here.
    try File.makeFolder(world.file("session.new") + "/taken")
    let report = try world.agent().refresh()
    #expect(report.status == .tryLater)
    #expect(try world.spends() == 0)
    #expect(world.snapshot?.lastAttempt?.outcome == .transient)
    #expect(world.snapshot?.spend == .settled)
  }

  @Test func `a write that fails is tried again while the only copy is in memory`() throws {
    let world = try FlowWorld()
    try world.begin()
    let store = try world.agent().store
    let file = try store.reserve()
    // A folder in the way makes the rename fail until it is gone.
    unlink(store.path)
    try File.makeFolder(store.path)
    var complaints = 0
    try Persistence(store: store).keep(StoreEncoding.encode(.sample(generation: 9)), in: file) { _ in
      complaints += 1
      rmdir(store.path)
    }
    #expect(complaints == 1)
    #expect(store.load().generation == 9)
  }

  @Test func `a lock that is held is not stolen`() throws {
    let world = try FlowWorld()
    try world.begin()
    var agent = try world.agent()
    agent.patience = .zero
    let lock = try agent.lock()
    let error = #expect(throws: AgentError.self) { try agent.refresh() }
    #expect(error?.status == .tryLater)
    #expect(try world.spends() == 0)
    withExtendedLifetime(lock) {}
  }

  @Test func `a server that never answers is given up in time, and the spend stays open`() throws {
    let world = try FlowWorld()
    try world.begin()
    world.provider.requestTimeout = .seconds(1)
    try world.plan(#"{"mode":"hang","seconds":60}"#)
    #expect(try world.agent().refresh().status == .tryLater)
    #expect(world.snapshot?.lastAttempt?.detail.contains("no answer in time") == true)
    #expect(world.snapshot?.spend == .ambiguous)
    try world.proxy.post("/_release")
  }

  @Test func `an endless answer is cut off`() throws {
    let world = try FlowWorld()
    try world.begin()
    let body = String(repeating: "x", count: HTTPClient.bodyLimit + 1)
    // The proxy repeats its plan, which is too much for us, too.
    _ = try? world.plan(#"{"mode":"status","status":200,"body":"\#(body)"}"#)
    #expect(try world.agent().refresh().status == .tryLater)
    #expect(world.snapshot?.lastAttempt?.detail.contains("larger than 1 MiB") == true)
    #expect(world.snapshot?.spend == .ambiguous)
  }

  @Test func `a TLS failure is one before the first byte`() throws {
    let world = try FlowWorld()
    try world.begin()
    world.provider.endpoints.token = "https://127.0.0.1:\(world.server.port)/token"
    #expect(try world.agent().refresh().status == .tryLater)
    #expect(world.snapshot?.lastAttempt?.outcome == .transient)
    #expect(world.snapshot?.spend == .settled)
  }

  @Test func `a proxy from the environment is not asked about this machine`() throws {
    let world = try FlowWorld()
    try world.begin()
    let proxies = ["http_proxy", "https_proxy", "all_proxy"].map { "\($0)=http://127.0.0.1:1" }
    let (ending, output) = try world.run(["refresh", "work"], environment: proxies)
    #expect(ending == .exited(0), "\(output)")
  }

  @Test func `a journal that can't be read proves nothing, and nothing is spent`() throws {
    let world = try FlowWorld()
    try world.begin()
    try File.makeFolder(world.file("journal"))
    #expect(try world.agent().publish().status == .success)
    #expect(world.snapshot?.spend == .ambiguous)
    #expect(throws: AgentError.self) { try world.agent().refresh() }
    #expect(try world.spends() == 0)
    #expect(try world.state()?.name == "authenticatedUnverified")
  }

  /// What a crash, a full disk, another version or a mistake could leave of the store.
  static let damages: [(name: String, change: @Sendable ([UInt8]) -> [UInt8])] = [
    ("empty", { _ in [] }), ("garbage", { _ in Array("garbage".utf8) }),
    ("half", { Array($0.prefix($0.count / 2)) }),
    ("another version", { $0.prefix(7) + [1] + $0.dropFirst(8) }), ("zeros", { $0.map { _ in 0 } }),
  ]

  @Test(arguments: damages.indices) func `a store that can't be read is not ready, and no verb touches it`(
    index: Int
  ) throws {
    let world = try FlowWorld()
    try world.begin()
    let damaged = Self.damages[index].change(try #require(try world.sessionBytes()))
    try world.folder.write("state/sessions/work.session", damaged, mode: 0o600)
    #expect(try world.agent().publish().status == .configuration)
    #expect(try world.state() == .notReady(.unreadableStore))
    #expect(try world.agent().refresh().status == .configuration)
    #expect(throws: AgentError.self) { try world.login() }
    #expect(throws: AgentError.self) { try world.agent().logout() }
    #expect(try world.sessionBytes() == damaged)
    #expect(try world.spends() == 0)
    #expect(try world.state() == .notReady(.unreadableStore))
  }

  @Test func `a logout that the server can't hear of is a logout all the same`() throws {
    let world = try FlowWorld()
    try world.begin()
    world.provider.endpoints.revocation = "http://127.0.0.1:1/revoke"
    let report = try world.agent().logout()
    #expect(report.status == .success)
    #expect(report.message.contains("the server was not told"))
    #expect(try world.state() == .unauthenticated(.loggedOut))
  }

  @Test func `the server's clock is remembered`() throws {
    let world = try FlowWorld()
    let agent = try world.agent()
    let now = agent.clock.now.wall
    #expect(agent.skew(nil) == .zero)
    #expect(agent.skew(now + .seconds(1)) == .zero)
    #expect(agent.skew(now + .seconds(120)) > .seconds(110))
    #expect(agent.skew(now - .seconds(120)) < .seconds(-110))
  }

  @Test func `plain HTTP to anywhere else is refused before anything is sent`() throws {
    let world = try FlowWorld()
    try world.begin()
    world.provider.endpoints.token = "http://id.example.com/token"
    let report = try world.agent().refresh()
    #expect(report.status == .configuration)
    #expect(report.message.contains("only https"))
    #expect(world.snapshot?.lastAttempt?.outcome == .configuration)
    #expect(world.snapshot?.spend == .settled)
  }

  @Test func `a session without a refresh token ends with its access token`() throws {
    let world = try FlowWorld()
    try world.begin()
    var record = try world.record()
    record.refreshToken = nil
    try world.put(record)
    #expect(try world.agent().refresh().status == .success)
    try world.age(by: .seconds(400))
    #expect(try world.agent().refresh().status == .loginNeeded)
    #expect(try world.spends() == 0)
  }

  @Test(arguments: ["", "..", ".hidden", "a/b", "a\u{0}b"]) func `a name that is no file name is refused`(
    name: String
  ) throws {
    let folder = try TemporaryFolder()
    let provider = ProviderDefinition(name: ProviderName(name), kind: .oauth2, clientID: "c")
    let places = SessionPlaces(state: folder.path, runtime: folder.path)
    #expect(throws: AgentError.self) {
      try ForegroundAgent(provider: provider, places: places, hold: SignalHold())
    }
  }
}
