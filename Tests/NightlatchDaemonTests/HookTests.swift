import AuthModel
import Glibc
import JobEngine
import Scheduling
import Testing

@testable import LinuxPlatform
@testable import NightlatchDaemon

@Suite(.timeLimit(.minutes(1))) struct HookTests {
  let stage: Stage

  init() throws {
    stage = try Stage()
    try stage.provider()
    let command =
      "env >> \(stage.path)/env; echo $NIGHTLATCH_HOOK $NIGHTLATCH_PROVIDER $NIGHTLATCH_REASON >> \(stage.path)/told"
    let hook = "['/bin/sh', '-c', '\(command)']"
    try stage.write(
      "config/nightlatch.toml",
      "[foreground]\nwhen = 'manual'\n[hooks]\nlogin_required = \(hook)\nsession_lost = \(hook)\n")
  }

  private func publish(_ session: Snapshot.Session, _ daemon: Daemon?) throws {
    let moment = Moment(bootID: try SystemClock.bootID(), now: SystemClock.now())
    try stage.publish(Snapshot(generation: 0, published: moment, session: session))
    daemon?.auth.reopen()
    daemon?.turn()
  }

  private func session() throws -> Snapshot.Session {
    let moment = Moment(bootID: try SystemClock.bootID(), now: SystemClock.now())
    return .present(
      Snapshot.Present(
        user: AuthModel.User(id: "alice"), tokenGeneration: 1, obtained: moment, lifetime: .seconds(3600)))
  }

  private var told: [Substring] { stage.text("told").split(separator: "\n") }

  @Test func `a session that was lost is told by both hooks, without a secret and once in 15 minutes`()
    async throws
  {
    try publish(try session(), nil)
    let daemon = try stage.daemon()
    try publish(.absent(.rejected), daemon)
    try await until { told.count == 2 && daemon.hooks.deadline == nil }
    #expect(Set(told) == ["session_lost work rejected", "login_required work rejected"])
    let names = Set(stage.text("env").split(separator: "\n").map { $0.prefix { $0 != "=" } })
    let own = names.filter { $0.hasPrefix("NIGHTLATCH_") }
    #expect(
      own == [
        "NIGHTLATCH_CONFIG", "NIGHTLATCH_STATE", "NIGHTLATCH_RUNTIME", "NIGHTLATCH_PROVIDER",
        "NIGHTLATCH_HOOK",
        "NIGHTLATCH_REASON",
      ])

    try publish(try session(), daemon)
    try publish(.absent(.lostRotation), daemon)
    // Nothing more is started; what is held back has a time.
    #expect(told.count == 2)
    let deadline = try #require(daemon.hooks.deadline)
    #expect(deadline > SystemClock.now().boot + .seconds(14 * 60))
  }

  @Test func `the limit outlives the daemon, and what is still true afterwards is made up for`() async throws
  {
    do {
      // The agent finds that nobody has logged in.
      let daemon = try stage.daemon()
      try await until { told.count == 1 && daemon.hooks.deadline == nil }
    }
    let daemon = try stage.daemon()
    try await until { daemon.hooks.deadline != nil }
    let deadline = try #require(daemon.hooks.deadline)
    #expect(told == ["login_required work neverLoggedIn"])
    var later = SystemClock.now()
    later.boot = deadline
    // 15 minutes later by the file's time, too.
    var past = [timespec](repeating: timespec(tv_sec: 1_000_000, tv_nsec: 0), count: 2)
    utimensat(AT_FDCWD, "\(stage.path)/state/hooks/work.login_required", &past, 0)
    daemon.hooks.look(at: later, of: daemon)
    try await until { told.count == 2 }
  }

  @Test func `whoever has logged out is not told to log in`() async throws {
    try publish(.absent(.loggedOut), nil)
    let daemon = try stage.daemon()
    #expect(stage.log.contains("no session (logged out)"))
    #expect(daemon.hooks.deadline == nil)
    #expect(told.isEmpty)
  }

  @Test func `a provider's own hook takes the place of the daemon's, and its failure is in the log`()
    async throws
  {
    try stage.write(
      "config/providers.d/work.toml",
      """
      kind = 'oidc'
      issuer = 'https://login.example'
      client_id = 'x'
      scopes = ['openid']
      hooks.login_required = ['/bin/sh', '-c', 'echo sorry; exit 3']
      """)
    let daemon = try stage.daemon()
    try await until { stage.log.contains("the hook login_required failed: it exited with status 3") }
    #expect(daemon.hooks.deadline == nil)
    #expect(stage.log.contains("sorry"))
    #expect(told.isEmpty)
  }

  @Test func `a hook that takes too long is ended`() async throws {
    try stage.write(
      "config/nightlatch.toml",
      "[foreground]\nwhen = 'manual'\n[hooks]\nlogin_required = ['/bin/sleep', '1000']\n")
    let daemon = try stage.daemon()
    try await until { daemon.hooks.deadline != nil }
    var later = SystemClock.now()
    later.boot = try #require(daemon.hooks.deadline)
    daemon.hooks.look(at: later, of: daemon)
    try await until { stage.log.contains("the hook login_required failed: it was killed by signal 9") }
    #expect(daemon.hooks.deadline == nil)
  }

  @Test(
    arguments: [
      (Duration.seconds(0), Duration.seconds(900)), (.seconds(899), .seconds(1)), (.seconds(900), .zero),
      // A clock that was set back since.
      (.seconds(-60), .zero),
    ])
  func `a stamp holds back for the rest of its 15 minutes`(_ age: Duration, _ wait: Duration) throws {
    let now = Now(boot: Instant(microseconds: 5_000_000_000), wall: WallTime(seconds: 1_798_761_600))
    HookStamps(folders: stage.folders).started(
      .loginRequired, of: .work, at: Now(boot: now.boot, wall: now.wall - age))
    let stamps = HookStamps(folders: stage.folders)
    #expect(stamps.wait(for: .loginRequired, of: .work, at: now) == wait)
    #expect(stamps.wait(for: .sessionLost, of: .work, at: now) == .zero)
    #expect(stamps.wait(for: .loginRequired, of: ProviderName("home"), at: now) == .zero)
  }
}
