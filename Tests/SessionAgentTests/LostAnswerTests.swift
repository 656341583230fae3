import AuthModel
import Glibc
import Scheduling
import Testing

@testable import SessionAgent

/// Answers that never came, and answers that nobody understands.
@Suite struct LostAnswerTests {
  @Test func `an answer lost inside the reuse window is fetched again at once`() throws {
    let world = try FlowWorld(["--reuse-window", "30"], reuseWindow: .seconds(30))
    try world.begin()
    try world.plan(#"[{"mode":"drop_after"},{"mode":"partial"}]"#)
    #expect(try world.agent().refresh().status == .success)
    #expect(try world.spends() == 3)
    let journal = String(
      decoding: try #require(try world.folder.read("state/sessions/work.journal")), as: UTF8.self)
    let line = try #require(journal.split(separator: "\n").first)
    guard case .spend(let first)? = SpendRecord(line: line) else {
      Issue.record("\(line)")
      return
    }
    #expect(try world.record().obtained.boot == first.sent.boot, "it may be as old as the first send")
    #expect(world.snapshot?.spend == .settled)
    #expect(try world.state()?.name == "authenticated")
    #expect(try world.agent().refresh().status == .success)
  }

  @Test func `a network that keeps losing answers costs no session while the window lasts`() throws {
    let world = try FlowWorld(["--reuse-window", "30"], reuseWindow: .seconds(30))
    try world.begin()
    let modes = ["drop_after", "partial", "drop_before"]
    var tokens: Set<TokenHash> = []
    for round in 0..<30 {
      tokens.insert(TokenHash(of: try #require(try world.record().refreshToken)))
      let lost = round % 6 == 5 ? 2 : min(1, round % 3)
      let faults = (0..<lost).map { #"{"mode":"\#(modes[(round + $0) % modes.count])"}"# }
      try world.plan("[" + faults.joined(separator: ",") + "]")
      #expect(try world.agent().refresh().status == .success, "round \(round)")
      #expect(world.snapshot?.lastAttempt?.outcome == .success)
    }
    #expect(tokens.count == 30)
    #expect(try world.text("/test/log").components(of: "invalid_grant") == 0)
    #expect(try world.state()?.name == "authenticated")
  }

  @Test func `at most three times`() throws {
    let world = try FlowWorld(["--reuse-window", "60"], reuseWindow: .seconds(8))
    try world.begin()
    try world.plan(#"{"mode":"drop_after","times":9}"#)
    #expect(try world.agent().refresh().status == .tryLater)
    #expect(try world.spends() == 4)
    // The access token is still good: nothing is sent before it expires, however often one asks.
    #expect(try world.agent().refresh().status == .tryLater)
    #expect(try world.spends() == 4)
    try world.age(by: .seconds(400))
    #expect(try world.agent().refresh().status == .loginNeeded)
    #expect(try world.spends() == 5)
    #expect(try world.agent().refresh().status == .loginNeeded)
    #expect(try world.spends() == 5)
    #expect(try world.state()?.name == "authenticatedUnverified")
  }

  @Test func `without a window the lost answer is a lost rotation, once the access token has expired`() throws
  {
    let world = try FlowWorld()
    try world.begin()
    try world.plan(#"{"mode":"drop_after"}"#)
    #expect(try world.agent().refresh().status == .tryLater)
    #expect(try world.agent().refresh().status == .tryLater)
    #expect(try world.spends() == 1)
    try world.age(by: .seconds(400))
    #expect(try world.agent().refresh().status == .loginNeeded)
    #expect(try world.spends() == 2)
    #expect(try world.state() == .unauthenticated(.lostRotation))
    #expect(world.snapshot?.lastAttempt?.outcome == .lostRotation)
  }

  @Test func `a request that never arrived is sent once more and succeeds`() throws {
    let world = try FlowWorld()
    try world.begin()
    try world.plan(#"{"mode":"drop_before"}"#)
    #expect(try world.agent().refresh().status == .tryLater)
    try world.age(by: .seconds(400))
    #expect(try world.agent().refresh().status == .success)
    #expect(try world.spends() == 1)
  }

  @Test(arguments: [(#"{"mode":"drop_before"}"#, true), (#"{"mode":"drop_after"}"#, false)])
  func `introspection tells a spent token from one that never arrived`(fault: String, survives: Bool) throws {
    let world = try FlowWorld()
    world.provider.clientID = "nightlatch-confidential"
    try world.folder.write("secret", "loopback-secret\n", mode: 0o600)
    world.provider.clientAuthentication = .secretBasic(.file(world.folder.path + "/secret"))
    world.provider.introspectsRefreshTokens = true
    try world.begin()
    try world.plan(fault)
    let report = try world.agent().refresh()
    #expect(report.status == (survives ? .success : .loginNeeded), "\(report.message)")
    #expect(try world.spends() == 1)
    let state = try world.state()
    #expect(state?.name == (survives ? "authenticated" : "unauthenticated"))
    if !survives { #expect(state == .unauthenticated(.lostRotation)) }
  }

  @Test func `three refusals that nobody understands, spaced, park the session`() throws {
    let world = try FlowWorld()
    try world.begin()
    try world.plan(#"{"mode":"status","status":400,"body":"{}","times":9}"#)
    let token = TokenHash(of: try #require(try world.record().refreshToken))
    // The first two happened a while ago.
    let journal = try SpendJournal(path: world.file("journal"), generation: 1, token: token)
    let clock = try SystemClock()
    for ago in [900, 400] {
      var moment = clock.moment
      (moment.boot, moment.wall) = (moment.boot - .seconds(ago), moment.wall - .seconds(ago))
      try journal.append(.refused(token, at: moment))
    }
    #expect(try world.agent().refresh().status == .loginNeeded)
    #expect(world.snapshot?.lastAttempt?.outcome == .rejectedUnknown)
    let before = try world.proxy.text("/_log")
    #expect(try world.agent().refresh().status == .loginNeeded)
    #expect(try world.proxy.text("/_log") == before, "a parked session must not be sent again")
    guard case .present = try world.stored() else {
      Issue.record("the session was wiped")
      return
    }
    try world.plan("[]")
    try world.login()
    #expect(try world.agent().refresh().status == .success)
  }

  @Test func `two refusals in a row are spaced`() throws {
    let world = try FlowWorld()
    try world.begin()
    try world.plan(#"{"mode":"status","status":401,"body":"","times":9}"#)
    #expect(try world.agent().refresh().status == .tryLater)
    let before = try world.proxy.text("/_log")
    #expect(try world.agent().refresh().status == .tryLater)
    #expect(try world.proxy.text("/_log") == before)
    #expect(world.snapshot?.lastAttempt?.failures == 1)
  }

  @Test func `a network that is away does not hold a phase that has nothing to gain`() throws {
    let world = try FlowWorld(reuseWindow: .seconds(86_400))
    try world.begin()
    try world.age(by: .seconds(400))
    let token = TokenHash(of: try #require(try world.record().refreshToken))
    // Sent in another boot, whose clock was far ahead of ours; the wall clock has stepped back since.
    var sent = try SystemClock().moment
    (sent.bootID, sent.boot) = (BootID("another"), sent.boot + .seconds(1_000_000))
    sent.wall = sent.wall + .seconds(3600)
    let journal = try SpendJournal(path: world.file("journal"), generation: 1, token: token)
    try journal.append(.spend(Spend(purpose: .first, generation: 1, token: token, sent: sent)))
    world.provider.endpoints.token = "http://127.0.0.1:1/token"
    #expect(try world.agent().refresh().status == .tryLater)
    #expect(world.snapshot?.lastAttempt?.outcome == .transient)
    #expect(world.snapshot?.spend == .ambiguous)
  }

  @Test func `a parked session's explanation does not grow`() throws {
    let world = try FlowWorld()
    try world.begin()
    try world.age(by: .seconds(400))
    try world.plan(#"{"mode":"drop_before","times":9}"#)
    #expect(try world.agent().refresh().status == .loginNeeded)
    _ = try world.agent().refresh()
    let detail = world.snapshot?.lastAttempt?.detail
    _ = try world.agent().refresh()
    #expect(world.snapshot?.lastAttempt?.detail == detail)
  }
}
