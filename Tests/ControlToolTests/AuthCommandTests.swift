import AuthCache
import AuthModel
import ControlProtocol
import LinuxPlatform
import Scheduling
import Testing

@testable import ControlTool

struct AuthCommandTests {
  let stage = Stage()

  private func publish(
    _ session: Snapshot.Session, as name: String, after outcome: AttemptClass = .transient
  ) throws {
    let moment = Moment(bootID: try SystemClock.bootID(), now: stage.now)
    try stage.folder.write("", to: "auth/.keep")
    try stage.folder.write("", to: "config/providers.d/\(name).toml")
    let writer = try AuthCacheWriter(AuthCacheFile(path: "\(stage.folder.path)/auth/\(name)"))
    try writer.publish(
      Snapshot(
        generation: 1, published: moment, session: session,
        lastAttempt: Snapshot.Attempt(
          outcome: outcome, ended: moment, failures: 2, detail: "The server did not answer.")))
  }

  private func session(verified: Bool) throws -> Snapshot.Session {
    let bootID = try SystemClock.bootID()
    return .present(
      Snapshot.Present(
        user: User(id: "u1", name: "alice"), tokenGeneration: 7,
        obtained: Moment(bootID: bootID, now: stage.now), lifetime: .seconds(600),
        verifiedIn: verified ? bootID : nil))
  }

  @Test func `the exit status is the auth state`() throws {
    try publish(try session(verified: true), as: "a")
    try publish(try session(verified: false), as: "b")
    try publish(.absent(.loggedOut), as: "c")
    try publish(.unreadable, as: "d")
    #expect(["a", "b", "c", "d"].map { stage.run("auth", $0, "--quiet") } == [0, 10, 11, 12])
    #expect(stage.output.isEmpty)
    #expect(stage.run("auth") == 12)
    let lines = stage.output.split(separator: "\n").map {
      $0.split(separator: " ", omittingEmptySubsequences: true)
    }
    #expect(lines[1].prefix(3) == ["a", "authenticated", "alice"])
    #expect(stage.output.contains("c         unauthenticated "))
    #expect(stage.output.contains("c: logged out\n"))
    #expect(stage.output.contains("d: The server did not answer."))
  }

  @Test(arguments: [(AttemptClass.success, false), (.spentToken, false), (.definite, true)])
  func `what became of the last attempt is told beside a state only if it failed`(
    outcome: AttemptClass, isTold: Bool
  ) throws {
    try publish(try session(verified: false), as: "a", after: outcome)
    #expect(stage.run("auth") == 10)
    #expect(stage.output.contains("a: The server did not answer.") == isTold)
  }

  /// What a daemon says of the token in the cache.
  private func told(_ state: String, generation: UInt64 = 7) -> ControlReply {
    var provider = Samples.providers[0]
    (provider.provider, provider.authState, provider.tokenGeneration) = ("a", state, generation)
    provider.spend = "settled"
    return .providers([provider])
  }

  @Test func `a token that a service has refused is not good, though the cache can't know`() throws {
    try publish(try session(verified: true), as: "a")
    let daemon = stage.daemon(.reply(told("authenticatedUnverified")))
    #expect(stage.run("auth", "a", "--quiet") == 10)
    #expect(daemon.finish() == [.listAuth(ProviderName("a"))])
  }

  @Test(arguments: [("authenticated", 7), ("authenticatedUnverified", 6)])
  func `a daemon that knows no better, or another token, changes nothing`(
    state: String, generation: UInt64
  ) throws {
    try publish(try session(verified: true), as: "a")
    let daemon = stage.daemon(.reply(told(state, generation: generation)))
    #expect(stage.run("auth", "a", "--quiet") == 0)
    _ = daemon.finish()
  }

  @Test func `a daemon that is stuck changes nothing, and one is asked about nothing else`() throws {
    try publish(try session(verified: true), as: "a")
    try publish(try session(verified: false), as: "b")
    let daemon = stage.daemon(.silence)
    #expect(stage.run("auth", "b", "--quiet") == 10)
    #expect(stage.run("auth", "a", "--quiet") == 0)
    #expect(daemon.finish().count == 1)
  }

  @Test func `a provider that nothing was published for is not ready, never logged out`() throws {
    try stage.folder.write("", to: "config/providers.d/work.toml")
    #expect(stage.run("auth", "work", "--json") == 12)
    #expect(stage.output.contains(#""auth_state":"notReady""#))
    #expect(stage.output.contains(#""reason":"noSnapshot""#))
  }

  @Test func `a misspelt provider is an error and no state`() throws {
    try stage.folder.write("", to: "config/providers.d/work.toml")
    #expect(stage.run("auth", "wrok") == 1)
    #expect(stage.complaints == "nightlatch: There is no provider wrok; did you mean work?\n")
  }

  @Test(arguments: [nil, 80, 60, 34] as [Int?])
  func `the table fits the terminal, and without one it is as wide as it is`(_ width: Int?) throws {
    try publish(try session(verified: false), as: "an-account-at-work")
    try publish(.absent(.lostRotation), as: "b")
    stage.terminal = Terminal(width: width, hasColors: false)
    #expect(stage.run("auth") == 11)
    let lines = stage.output.split(separator: "\n").map { String($0).columns }
    #expect(lines.allSatisfy { $0 <= width ?? 120 })
    #expect(lines.count == [nil: 6, 80: 8, 60: 11, 34: 18][width], "\(stage.output)")
    #expect(stage.output.contains("an-account-at-work"))
    #expect(stage.output.contains("authenticatedUnverified"))
  }

  @Test func `a folder that can't be listed is not taken for an empty one`() throws {
    // A file in its place stands for whatever keeps root from listing it.
    try stage.folder.write("", to: "config/providers.d")
    let problem =
      "What is configured can't be told: cannot list '\(stage.folder.path)/config/providers.d': Not a directory."
    #expect(stage.run("auth") == 78)
    #expect(stage.run("refresh") == 78)
    #expect(
      stage.complaints.split(separator: "\n").allSatisfy { $0.contains(problem) }, "\(stage.complaints)")
    #expect(stage.output.isEmpty)
    // Whoever is named may be there.
    #expect(stage.run("auth", "work", "--quiet") == 12)
    #expect(stage.run("refresh", "work") == 0)
  }

  @Test func `attempts that can't be read are not taken for none`() throws {
    try publish(.absent(.rejected), as: "work")
    try stage.folder.write("", to: "attempts/work/in-the-way")
    #expect(stage.run("auth", "work") == 11)
    #expect(stage.output.contains("attempts   cannot read '\(stage.folder.path)/attempts/work'"))
  }

  @Test func `one question to the daemon explains one session, refused or not`() throws {
    try publish(try session(verified: true), as: "a")
    let daemon = stage.daemon(.reply(told("authenticatedUnverified")))
    #expect(stage.run("auth", "a") == 10)
    #expect(daemon.finish() == [.listAuth(ProviderName("a"))])
    #expect(stage.output.contains("state      authenticatedUnverified"))
  }

  @Test func `no provider at all is not ready`() {
    #expect(stage.run("auth") == 12)
    #expect(stage.output.hasPrefix("No providers. Put a file in "))
  }

  @Test func `one provider is explained, with its last attempts and what it waits for`() throws {
    try publish(try session(verified: false), as: "work")
    var history = AttemptHistory()
    for (minutes, outcome) in [(9, AttemptClass.success), (2, .transient)] {
      let ended = Moment(
        bootID: Samples.bootID,
        now: Now(boot: stage.now.boot, wall: stage.now.wall - .seconds(60 * minutes)))
      history.append(
        AttemptHistory.Entry(
          Snapshot.Attempt(outcome: outcome, ended: ended, failures: 0, detail: "as it was")))
    }
    try stage.folder.write(history.text, to: "attempts/work")
    var known = Samples.providers[0]
    known.authState = "authenticatedUnverified"
    known.phase = .backingOff
    known.nextPhase = Timestamp(stage.now.wall + .seconds(180))
    known.deferred = 4
    let daemon = stage.daemon(.reply(.providers([known])))
    #expect(stage.run("auth", "work") == 10)
    #expect(daemon.finish() == [.listAuth(ProviderName("work"))])
    #expect(
      stage.output
        == """
        work
          state      authenticatedUnverified
          user       alice (u1)
          since      today 14:05:00 (now)
          token      expires in 10min
          waits for  the next try in 3min
          queue      4 runs deferred

        ATTEMPT         CLASS      DETAIL
        today 14:03:00  transient  as it was
        today 13:56:00  success    as it was

        """)
  }

  @Test
  func
    `a refresh token that was spent before it was handed out is told, and what failed since does not hide it`()
    throws
  {
    try publish(try session(verified: true), as: "work")
    let ended = Moment(bootID: Samples.bootID, now: stage.now)
    func story(_ outcomes: AttemptClass...) throws -> String {
      var history = AttemptHistory()
      for outcome in outcomes {
        history.append(.init(Snapshot.Attempt(outcome: outcome, ended: ended, failures: 0, detail: "so")))
      }
      try stage.folder.write(history.text, to: "attempts/work")
      let before = stage.output
      _ = stage.run("auth", "work")
      return String(stage.output.dropFirst(before.count))
    }
    let warning = "refresh token  spent before the server handed it out"
    #expect(try story(.success, .spentToken, .transient).contains(warning))
    #expect(try !story(.spentToken, .success).contains(warning))
    try publish(.absent(.rejected), as: "work")
    #expect(try !story(.spentToken, .definite).contains(warning))
  }

  @Test func `without a daemon one provider is still explained, and its JSON has the attempts`() throws {
    try publish(.absent(.rejected), as: "work")
    #expect(stage.run("auth", "work") == 11)
    #expect(stage.output.contains("waits for  a person: nightlatch login work"))
    #expect(stage.run("auth", "work", "--json") == 11)
    #expect(stage.output.contains(#""attempts":[]"#))
    #expect(!stage.output.contains(#""phase""#))
  }

  @Test func `a token that has expired leaves the session unverified`() throws {
    try publish(try session(verified: true), as: "a")
    stage.now.boot = stage.now.boot + .seconds(601)
    stage.now.wall = stage.now.wall + .seconds(601)
    #expect(stage.run("auth", "a") == 10)
    #expect(stage.output.contains("expired 1s ago"))
  }
}
