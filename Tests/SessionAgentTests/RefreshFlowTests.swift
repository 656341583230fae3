import AuthModel
import Glibc
import Scheduling
import Testing

@testable import SessionAgent

/// Whole verbs against a real server, with a proxy that breaks answers.
@Suite struct RefreshFlowTests {
  @Test func `login, refresh, publish, logout`() throws {
    let world = try FlowWorld()
    #expect(try world.agent().publish().status == .success)
    #expect(try world.state() == .unauthenticated(.neverLoggedIn))
    #expect(try world.agent().refresh().status == .loginNeeded)

    #expect(try world.login().status == .success)
    let alice = User(
      id: "alice", name: "Alice Example", email: "alice@example.com", username: "alice")
    #expect(try world.state() == .authenticated(alice))
    let first = try world.record()

    #expect(try world.agent().refresh().status == .success)
    let second = try world.record()
    #expect(second.generation == first.generation + 1)
    #expect(try !#require(second.refreshToken).equals(#require(first.refreshToken)))
    #expect(try world.state() == .authenticated(alice))
    let file = try #require(try world.tokenFile())
    #expect(file.token == second.accessToken.text)
    #expect(file.obtained == second.obtained.wall)
    #expect(world.snapshot?.lastAttempt?.outcome == .success)
    #expect(world.snapshot?.lastAttempt?.failures == 0)

    #expect(try world.agent().refresh().status == .success)
    #expect(try world.spends() == 2)

    #expect(try world.agent().logout().status == .success)
    #expect(try world.state() == .unauthenticated(.loggedOut))
    #expect(try world.tokenFile() == nil)
    #expect(try world.server.post("/test/revoke", "user=nobody").number("ended") == 0)
    #expect(try world.agent().refresh().status == .loginNeeded)
    #expect(try world.spends() == 2)
  }

  @Test func `a refresh token's life is counted from when it was given`() throws {
    let world = try FlowWorld()
    world.provider.refreshTokenLifetime = .seconds(86_400)
    try world.login()
    #expect(try world.record().refreshLifetime == .seconds(86_400))
    _ = try world.agent().refresh()
    #expect(try world.record().refreshLifetime == .seconds(86_400))
    guard case .present(let present) = world.snapshot?.session else { throw TestFailure("no session") }
    #expect(present.refreshLifetime == .seconds(86_400))

    // The server gives no other one: it is an hour older than the access token that comes with it.
    try world.settings("rotate=false")
    try world.age(by: .seconds(3600))
    _ = try world.agent().refresh()
    let left = try #require(try world.record().refreshLifetime)
    #expect(left <= .seconds(82_800) && left > .seconds(82_700))
  }

  @Test func `the refresh token is revoked at logout`() throws {
    let world = try FlowWorld()
    try world.login()
    let token = try #require(try world.record().refreshToken)
    #expect(try world.agent().logout().status == .success)
    #expect(throws: TestFailure.self) {
      try world.server.post(
        "/token", "grant_type=refresh_token&client_id=nightlatch&refresh_token=\(token.text)")
    }
  }

  @Test func `logging in again takes over, with a higher generation`() throws {
    let world = try FlowWorld()
    try world.login()
    let generation = try world.record().generation
    _ = try world.agent().logout()
    try world.login(as: "bob")
    #expect(try world.record().generation > generation)
    #expect(
      try world.state()
        == .authenticated(
          User(id: "bob", name: "Bob Example", email: "bob@example.com", username: "bob")))
  }

  /// A fault in one refresh: what the attempt is called, what the program exits with, whether the
  /// spend stays ambiguous, and how many requests reached the server.
  struct Fault: Sendable, CustomTestStringConvertible {
    var plan: String
    var outcome: AttemptClass
    var status: SessionAgent.ExitStatus
    var spend = Snapshot.Spend.settled
    var retryAfter: Duration?
    var reached = 0

    var testDescription: String { plan }
  }

  static let faults: [Fault] = [
    Fault(plan: #"{"mode":"html"}"#, outcome: .transient, status: .tryLater),
    Fault(
      plan: #"{"mode":"status","status":503,"body":"","headers":{"Retry-After":"120"}}"#, outcome: .transient,
      status: .tryLater, retryAfter: .seconds(120)),
    Fault(plan: #"{"mode":"status","status":429,"body":"{}"}"#, outcome: .transient, status: .tryLater),
    Fault(
      plan: #"{"mode":"status","status":302,"body":"","headers":{"Location":"http://127.0.0.1:1/"}}"#,
      outcome: .transient, status: .tryLater),
    Fault(
      plan: #"{"mode":"status","status":401,"body":"{\"error\":\"invalid_client\"}"}"#,
      outcome: .configuration,
      status: .configuration),
    Fault(
      plan: #"{"mode":"status","status":400,"body":""}"#, outcome: .rejectedUnknown, status: .tryLater,
      retryAfter: .seconds(300)),
    Fault(plan: #"{"mode":"drop_before"}"#, outcome: .ambiguous, status: .tryLater, spend: .ambiguous),
    Fault(
      plan: #"{"mode":"drop_after"}"#, outcome: .ambiguous, status: .tryLater, spend: .ambiguous, reached: 1),
    Fault(
      plan: #"{"mode":"partial"}"#, outcome: .ambiguous, status: .tryLater, spend: .ambiguous, reached: 1),
    Fault(
      plan: #"{"mode":"status","status":502,"body":"<html>"}"#, outcome: .ambiguous, status: .tryLater,
      spend: .ambiguous),
    Fault(
      plan: #"{"mode":"strip","key":"access_token"}"#, outcome: .ambiguous, status: .tryLater,
      spend: .ambiguous,
      reached: 1),
  ]

  @Test(arguments: faults) func `a fault keeps the session and says what it was`(fault: Fault) throws {
    let world = try FlowWorld()
    try world.begin()
    let before = try world.sessionBytes()
    try world.plan(fault.plan)
    let report = try world.agent().refresh()
    #expect(report.status == fault.status, "\(report.message)")
    #expect(try world.sessionBytes() == before)
    let snapshot = try #require(world.snapshot)
    let attempt = try #require(snapshot.lastAttempt)
    #expect(attempt.outcome == fault.outcome)
    #expect(attempt.failures == 1)
    #expect(snapshot.spend == fault.spend)
    if let retryAfter = fault.retryAfter { #expect(attempt.retryAfter == retryAfter) }
    #expect(try world.spends() == fault.reached)
    let isUnverified = fault.spend == .ambiguous
    #expect(try world.state()?.name == (isUnverified ? "authenticatedUnverified" : "authenticated"))
  }

  @Test func `failures are counted until a success`() throws {
    let world = try FlowWorld()
    try world.begin()
    try world.plan(#"{"mode":"html","times":2}"#)
    _ = try world.agent().refresh()
    _ = try world.agent().refresh()
    #expect(world.snapshot?.lastAttempt?.failures == 2)
    _ = try world.agent().refresh()
    #expect(world.snapshot?.lastAttempt?.failures == 0)
  }

  @Test func `a server that is not there is transient, and nothing is spent`() throws {
    let world = try FlowWorld()
    try world.begin()
    world.provider.endpoints.token = "http://127.0.0.1:1/token"
    let report = try world.agent().refresh()
    #expect(report.status == .tryLater)
    #expect(world.snapshot?.lastAttempt?.outcome == .transient)
    #expect(world.snapshot?.spend == .settled)
    #expect(try world.state()?.name == "authenticated")
  }

  @Test(arguments: ["null", "\"\""]) func `without a new refresh token the old one is kept`(value: String)
    throws
  {
    let world = try FlowWorld(["--rotate", "false"])
    try world.begin()
    let token = try #require(try world.record().refreshToken)
    try world.plan(
      #"[{"mode":"set","key":"refresh_token","value":\#(value)},{"mode":"strip","key":"refresh_token"}]"#)
    #expect(try world.agent().refresh().status == .success)
    #expect(try world.agent().refresh().status == .success)
    #expect(try #require(try world.record().refreshToken).equals(token))
    #expect(try world.record().generation == 3)
  }

  @Test func `a token that has expired already is stored and not trusted`() throws {
    let world = try FlowWorld()
    try world.begin()
    let token = try #require(try world.record().refreshToken)
    try world.plan(#"{"mode":"set","key":"expires_in","value":0}"#)
    #expect(try world.agent().refresh().status == .tryLater)
    #expect(try !#require(try world.record().refreshToken).equals(token))
    #expect(world.snapshot?.lastAttempt?.outcome == .clockSuspect)
    #expect(try world.state()?.name == "authenticatedUnverified")
  }

  @Test func `a session that the server ended leaves a tombstone`() throws {
    let world = try FlowWorld()
    try world.begin()
    try world.server.post("/test/revoke")
    #expect(try world.agent().refresh().status == .loginNeeded)
    #expect(try world.state() == .unauthenticated(.rejected))
    #expect(world.snapshot?.lastAttempt?.outcome == .definite)
    #expect(try world.tokenFile() == nil)
  }

  @Test func `another process's rotation is adopted`() throws {
    let world = try FlowWorld()
    try world.begin()
    #expect(try world.agent().refresh(newerThan: 1).status == .success)
    #expect(try world.agent().refresh(newerThan: 1).status == .success)
    #expect(try world.spends() == 1)
    #expect(try world.agent().refresh(newerThan: 2).status == .success)
    #expect(try world.spends() == 2)
  }

  /// Whoever reads at any moment of a refresh finds the old session or the new one, whole.
  @Test func `no reader ever meets half a refresh`() throws {
    let world = try FlowWorld()
    try world.begin()
    for _ in 0..<8 {
      let before = try world.record()
      var tokens: Set<String> = []
      var generations: Set<UInt64> = []
      let agent = try world.start(["refresh", "work"])
      let isOver = {
        tokens.insert((try? world.tokenFile()?.token) ?? "none")
        generations.insert((try? world.record().generation) ?? 0)
        guard case .present(let present) = world.snapshot?.session else { throw TestFailure("no session") }
        generations.insert(present.tokenGeneration)
        return present.tokenGeneration > before.generation
      }
      // Without a pause: half a refresh would not last long.
      try waitUntil { try (0..<200).contains { _ in try isOver() } }
      let output = agent.readAll()
      #expect(agent.wait() == .exited(0), "\(output)")
      let after = try world.record()
      #expect(tokens.isSubset(of: [before.accessToken.text, after.accessToken.text]))
      #expect(generations.isSubset(of: [before.generation, after.generation]))
      #expect(world.snapshot?.session == .present(after.published), "what belongs together changes together")
    }
  }

  @Test func `a cached discovery document is enough for a refresh`() throws {
    let world = try FlowWorld()
    try world.begin()
    try world.plan(#"{"mode":"status","status":500,"path":"/.well-known","times":-1}"#)
    #expect(try world.agent().refresh().status == .success)
    try world.folder.write("state/sessions/work.discovery", "{", mode: 0o600)
    #expect(try world.agent().refresh().status == .tryLater)
    #expect(world.snapshot?.lastAttempt?.outcome == .transient)
    #expect(try world.state()?.name == "authenticated")
  }

  @Test func `another issuer's discovery document is a configuration error`() throws {
    let world = try FlowWorld()
    try world.plan(
      #"{"mode":"set","key":"issuer","value":"https://evil.example","path":"/.well-known","times":-1}"#)
    let error = #expect(throws: AgentError.self) { try world.login() }
    #expect(error?.status == .configuration)
  }

  @Test func `without an ID token the userinfo endpoint tells who it is`() throws {
    let world = try FlowWorld(["--id-token", "false"])
    try world.login()
    #expect(try world.state() == .authenticated(User(id: "alice", name: "Alice Example")))
  }

  @Test func `a denied login changes nothing`() throws {
    let world = try FlowWorld()
    let error = #expect(throws: AgentError.self) {
      _ = try world.agent().login { step in
        guard case .device(let prompt) = step else { return }
        _ = try? world.server.post("/test/approve", "user_code=\(prompt.userCode)&ok=0")
      }
    }
    #expect(error?.status == .loginNeeded)
    guard case .missing = try world.stored() else {
      Issue.record("something was stored")
      return
    }
  }
}
