import AuthCache
import AuthModel
import Glibc
import Scheduling
import Testing

@testable import SessionAgent

/// An agent whose tokens come from this machine.
final class SupplyWorld {
  let folder: TemporaryFolder
  var provider: ProviderDefinition

  init(_ kind: ProviderDefinition.Kind = .command([])) throws {
    folder = try TemporaryFolder()
    provider = ProviderDefinition(name: ProviderName("work"), kind: kind, clientID: "")
    provider.requestTimeout = .seconds(20)
  }

  /// Takes `script` as the helper.
  func helper(_ script: String) throws {
    try folder.write("helper", "#!/bin/sh\n\(script)\n", mode: 0o700)
    provider.kind = .command([folder.path + "/helper"])
  }

  var places: SessionPlaces { SessionPlaces(state: folder.path + "/state", runtime: folder.path + "/run") }

  func agent() throws -> ForegroundAgent {
    try ForegroundAgent(provider: provider, places: places, hold: SignalHold())
  }

  var snapshot: Snapshot? {
    AuthCacheReader(path: places.runtime + "/auth/work", in: BootID("")).read().snapshot
  }

  func state() throws -> AuthState? {
    let clock = try SystemClock()
    return snapshot?.authState(at: clock.now, in: clock.bootID)
  }

  func token() throws -> String? {
    try File.read(places.tokenFile(provider.name), limit: 4096, isPrivate: true).map {
      String(decoding: $0, as: UTF8.self)
    }
  }
}

@Suite struct CredentialCommandTests {
  static let good = #"echo '{"access_token":"tok-1","expires_in":300,"user":{"id":"u1","name":"U"}}'"#

  @Test func `a helper's token is stored and published, and the next one is newer`() throws {
    let world = try SupplyWorld()
    try world.helper(Self.good)
    #expect(try world.agent().refresh().status == .success)
    #expect(try world.state() == .authenticated(User(id: "u1", name: "U")))
    #expect(try world.token() == "tok-1")
    try world.helper(Self.good.replacing("tok-1", with: "tok-2"))
    #expect(try world.agent().refresh().status == .success)
    #expect(try world.token() == "tok-2")
    guard case .present(let present) = world.snapshot?.session, present.hasToken else {
      Issue.record("no session")
      return
    }
    #expect(present.tokenGeneration == 2)
    #expect(present.lifetime == .seconds(300))
  }

  struct Outcome: Sendable, CustomTestStringConvertible {
    var script: String
    var outcome: AttemptClass
    var status: SessionAgent.ExitStatus
    var detail: String

    var testDescription: String { script }
  }

  static let outcomes = [
    Outcome(
      script: "echo '{\"access_token\":\"t\",'", outcome: .configuration, status: .configuration,
      detail: "not a JSON object"),
    Outcome(
      script: "echo please log in", outcome: .configuration, status: .configuration,
      detail: "not a JSON object"),
    Outcome(
      script: "echo '[1]'", outcome: .configuration, status: .configuration, detail: "not a JSON object"),
    Outcome(script: "true", outcome: .configuration, status: .configuration, detail: "printed nothing"),
    Outcome(
      script: #"echo '{"access_token":null}'"#, outcome: .configuration, status: .configuration,
      detail: "without a usable access_token"),
    Outcome(
      script: "head -c 3000000 /dev/zero", outcome: .configuration, status: .configuration,
      detail: "more than 1 MiB"),
    Outcome(script: "exit 1", outcome: .transient, status: .tryLater, detail: "exited with status 1"),
    Outcome(
      script: good + "; exit 1", outcome: .transient, status: .tryLater, detail: "exited with status 1"),
    Outcome(script: "exit 75", outcome: .transient, status: .tryLater, detail: "exited with status 75"),
    Outcome(
      script: "exit 78", outcome: .configuration, status: .configuration, detail: "exited with status 78"),
    Outcome(
      script: "exec nowhere-to-be-found", outcome: .configuration, status: .configuration,
      detail: "status 127"),
    Outcome(script: "kill -KILL $$", outcome: .transient, status: .tryLater, detail: "killed by signal 9"),
    Outcome(script: "kill -TERM $$", outcome: .transient, status: .tryLater, detail: "killed by signal 15"),
    Outcome(
      script: #"echo '{"access_token":"t","expires_in":0}'"#, outcome: .clockSuspect, status: .tryLater,
      detail: "expired already"),
  ]

  @Test(arguments: outcomes) func `what a helper does wrong has a class, and the session is kept`(
    _ row: Outcome
  ) throws {
    let world = try SupplyWorld()
    try world.helper(Self.good)
    #expect(try world.agent().refresh().status == .success)
    try world.helper(row.script)
    let report = try world.agent().refresh()
    #expect(report.status == row.status, "\(report.message)")
    #expect(report.message.contains(row.detail), "\(report.message)")
    #expect(world.snapshot?.lastAttempt?.outcome == row.outcome)
    #expect(try world.state()?.user == User(id: "u1", name: "U"))
    if row.outcome != .clockSuspect { #expect(try world.token() == "tok-1") }
  }

  @Test func `every row of the helper's table decides at least one of the examples`() {
    let bodies: [Exchange.Body] = [.token, .expiredToken, .unusableTokenType, .empty]
    let exchanges =
      [Exchange.lost] + bodies.map { .exited(status: 0, body: $0) }
      + [64, 77, 78, 127, 1].map { .exited(status: $0, body: .empty) }
    for (index, row) in VerdictTable.command.rows.enumerated() {
      let isDecisive = exchanges.contains { exchange in
        VerdictTable.command.rows.firstIndex { $0.exchange.matches(exchange) } == index
      }
      #expect(isDecisive, "no example reaches the row \"\(row.meaning)\"")
    }
  }

  @Test func `a helper that hangs is killed with all its children`() throws {
    let world = try SupplyWorld()
    world.provider.requestTimeout = .seconds(1)
    try world.helper("sleep 1000 & echo $! > \(world.folder.path)/child; wait")
    let report = try world.agent().refresh()
    #expect(report.status == .tryLater)
    #expect(report.message.contains("took too long"))
    let child = try #require(try world.folder.read("child"))
    let pid = try #require(Int32(String(decoding: child.dropLast(), as: UTF8.self)))
    // A process that was killed may still wait for its new parent.
    try waitUntil { kill(pid, 0) != 0 || Self.isZombie(pid) }
  }

  private static func isZombie(_ pid: Int32) -> Bool {
    let bytes = (try? File.read("/proc/\(pid)/stat", limit: 4096)) ?? nil
    return String(decoding: bytes ?? [], as: UTF8.self).contains(") Z ")
  }

  @Test func `a child that keeps the pipe open does not keep us`() throws {
    let world = try SupplyWorld()
    try world.helper("sleep 1000 & \(Self.good)")
    #expect(try world.agent().refresh().status == .success)
    #expect(try world.token() == "tok-1")
  }

  @Test func `before its first run there is a session without a token, which a phase can verify`() throws {
    let world = try SupplyWorld()
    try world.helper(Self.good)
    #expect(try world.agent().publish().status == .success)
    #expect(try world.state() == .authenticatedUnverified(User(id: "work")))
    #expect(try world.token() == nil)
    #expect(try world.agent().logout().status == .success)
    #expect(try world.agent().refresh().status == .loginNeeded)
  }

  @Test func `exit status 77 ends the session until somebody logs in`() throws {
    let world = try SupplyWorld()
    try world.helper(Self.good)
    #expect(try world.agent().refresh().status == .success)
    try world.helper("exit 77")
    #expect(try world.agent().refresh().status == .loginNeeded)
    #expect(try world.state() == .unauthenticated(.rejected))
    #expect(try world.token() == nil)
    try world.helper(Self.good)
    #expect(try world.agent().refresh().status == .loginNeeded)
    #expect(try world.agent().login { _ in }.status == .success)
    #expect(try world.state()?.name == "authenticated")
    #expect(try world.agent().logout().status == .success)
    #expect(try world.agent().refresh().status == .loginNeeded)
  }

  @Test func `its complaints are told without what looks like a token`() throws {
    let world = try SupplyWorld()
    let token = "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJ4In0.c2lnbmF0dXJlMTIz"
    try world.helper(
      "echo 'cannot open /etc/helper.conf' >&2; echo 'token=\(token)' >&2; printf '\\033[31mred' >&2; exit 1")
    let report = try world.agent().refresh()
    #expect(report.message.contains("cannot open /etc/helper.conf"))
    #expect(!report.message.contains("eyJ"))
    #expect(report.message.contains("[...]"))
    #expect(!report.message.contains("\u{1b}"))
    #expect(try world.state()?.name == "authenticatedUnverified", "nobody has to log in")
  }

  /// In a process of its own: the environment belongs to all tests.
  @Test func `it gets our environment without what is ours alone`() async {
    await #expect(processExitsWith: .success) {
      setenv("NOTIFY_SOCKET", "/nowhere", 1)
      let world = try SupplyWorld()
      try world.helper(
        #"echo "{\"access_token\":\"tok\",\"user\":\"$NIGHTLATCH_PROVIDER,$NOTIFY_SOCKET,${PATH:+path}\"}""#)
      let report = try world.agent().refresh()
      #expect(report.status == .success)
      let user = try world.state()?.user
      #expect(user?.id == "work,,path")
    }
  }

  @Test func `a program that is not there is a matter of configuration`() throws {
    let world = try SupplyWorld(.command(["/nowhere/helper"]))
    let report = try world.agent().refresh()
    #expect(report.status == .configuration)
    #expect(report.message.contains("/nowhere/helper"))
  }

  static let times: [(text: String, left: Duration?)] = [
    (#""expires_in":60"#, .seconds(60)),
    (#""expires_in":"60""#, .seconds(60)),
    (#""expires_at":1800000060"#, .seconds(60)),
    (#""expires_at":"2027-01-15T08:01:00Z""#, .seconds(60)),
    (#""expires_at":"2027-01-15T08:01:00.25Z""#, .seconds(60)),
    (#""expires_at":"2027-01-15T07:59:00Z""#, .seconds(-60)),
    (#""expires_at":"2027-13-15T07:59:00Z""#, nil),
    (#""expires_at":"soon""#, nil),
    (#""expires_at":null"#, nil),
  ]

  @Test(arguments: times) func `the end is told as a time or as a duration`(text: String, left: Duration?)
    throws
  {
    let answer = CommandAnswer(
      Secret(#"{"access_token":"t",\#(text)}"#), now: WallTime(seconds: 1_800_000_000)
    ).answer
    #expect(try #require(answer).lifetime == left)
  }

  @Test func `a refresh token is the helper's own business`() throws {
    let answer = CommandAnswer(
      Secret(#"{"access_token":"t","refresh_token":"r"}"#), now: WallTime(seconds: 0)
    )
    .answer
    #expect(try #require(answer).refreshToken == nil)
  }
}
