import AuthModel
import Glibc
import Scheduling
import Testing

@testable import SessionAgent

/// Sleep, shutdown and suspend, as far as the agent sees them.
@Suite struct MachineHoldTests {
  /// Stands for a lock of logind's.
  private final class Lock {
    private let onEnd: () -> Void

    init(onEnd: @escaping () -> Void) { self.onEnd = onEnd }

    deinit { onEnd() }
  }

  /// What was published when a lock was taken and given back.
  private final class Notes {
    var spends: [Snapshot.Spend?] = []
  }

  @Test(arguments: ["pass", "status"])
  func `the machine is held up exactly while a spend is open`(mode: String) throws {
    let world = try FlowWorld()
    try world.begin()
    let notes = Notes()
    world.machine = MachineHold {
      notes.spends.append(world.snapshot?.spend)
      return .granted(Lock { notes.spends.append(world.snapshot?.spend) })
    }
    try world.plan(#"{"mode":"\#(mode)","status":503}"#)
    _ = try world.agent().refresh()
    #expect(notes.spends == [.settled, .settled])
    #expect(try world.record().generation == (mode == "pass" ? 2 : 1))
  }

  @Test func `nothing is begun once the machine is going down`() throws {
    let world = try FlowWorld()
    try world.begin()
    world.machine = MachineHold { .refused }
    let error = #expect(throws: AgentError.self) { try world.agent().refresh() }
    #expect(error?.status == .tryLater)
    #expect(error?.description.contains("about to sleep") == true)
    #expect(try world.spends() == 0)
    #expect(world.snapshot?.spend == .settled)
    #expect(try world.state()?.name == "authenticated")
  }

  @Test func `a publication asks nobody`() throws {
    let world = try FlowWorld()
    try world.begin()
    world.machine = MachineHold {
      Issue.record("nothing is at stake")
      return .refused
    }
    #expect(try world.agent().publish().status == .success)
  }

  @Test func `an answer that came while the process stood still is read, however late it is`() throws {
    let world = try FlowWorld()
    world.provider.requestTimeout = .seconds(1)
    try world.begin()
    world.server.stop()
    let agent = try world.start(["refresh", "work"])
    try waitUntil { (try? world.hasForwarded()) == true }
    // From here on the agent stands still, as in a suspend, and the boot clock goes on.
    kill(agent.pid, SIGSTOP)
    world.server.go()
    try waitUntil { (try? world.spends()) == 1 }
    let late = SystemClock.boot + .seconds(2)
    try waitUntil { SystemClock.boot >= late }
    kill(agent.pid, SIGCONT)
    let output = agent.readAll()
    #expect(agent.wait() == .exited(0), "\(output)")
    #expect(try world.record().generation == 2)
  }

  @Test func `a suspend that outlasts the reuse window is no time to send again`() throws {
    let world = try FlowWorld(["--reuse-window", "1"], reuseWindow: .seconds(1))
    try world.begin()
    try world.plan(#"{"mode":"hang_after"}"#)
    let agent = try world.start(["refresh", "work"])
    try waitUntil { (try? world.spends()) == 1 }
    kill(agent.pid, SIGSTOP)
    let late = SystemClock.boot + .seconds(2)
    try waitUntil { SystemClock.boot >= late }
    // The answer is lost while nobody looks.
    try world.proxy.post("/_release")
    kill(agent.pid, SIGCONT)
    let output = agent.readAll()
    #expect(agent.wait() == .exited(75), "\(output)")
    #expect(try world.spends() == 1)
    #expect(world.snapshot?.lastAttempt?.outcome == .ambiguous && world.snapshot?.spend == .ambiguous)
    #expect(try world.state()?.name == "authenticatedUnverified")
  }

  @Test func `a store from another machine is told apart, and left as it is`() throws {
    let world = try FlowWorld()
    try world.begin()
    let bytes = try world.sessionBytes()
    try world.folder.write("machine-id", String(repeating: "a", count: 32), mode: 0o444)
    var places = world.places
    places.machineIDPath = world.folder.path + "/machine-id"
    let copy = try ForegroundAgent(provider: world.provider, places: places, hold: world.hold)
    let report = try copy.refresh()
    #expect(report.status == .configuration)
    #expect(report.message.contains("copied from another machine"))
    #expect(try world.spends() == 0)
    #expect(try world.sessionBytes() == bytes)
    #expect(try world.state() == .notReady(.unreadableStore))
    #expect(world.snapshot?.lastAttempt?.detail.contains("another machine") == true)
    // Back where it belongs nothing is the matter with it, and nothing is said of it.
    #expect(try world.agent().publish().status == .success)
    #expect(world.snapshot?.lastAttempt == nil)
  }

  @Test func `a key that is missing at the start is a reason, not a logout`() throws {
    let world = try FlowWorld()
    try world.begin()
    let (key, away) = (world.places.keyPath, world.places.keyPath + ".away")
    #expect(rename(key, away) == 0)
    #expect(try world.agent().publish().status == .configuration)
    #expect(try world.state() == .notReady(.unreadableStore))
    #expect(world.snapshot?.lastAttempt?.outcome == .configuration)
    #expect(world.snapshot?.lastAttempt?.detail.contains("key") == true)
    #expect(access(key, F_OK) != 0, "no key may be made while a store waits for another")
    #expect(rename(away, key) == 0)
    #expect(try world.agent().refresh().status == .success)
  }
}

extension FlowWorld {
  /// Whether the proxy has got a refresh and passes it on.
  func hasForwarded() throws -> Bool {
    try proxy.text("/_log").contains(#""grant": "refresh_token""#)
  }
}
