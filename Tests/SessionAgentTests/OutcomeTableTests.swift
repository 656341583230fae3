import AuthModel
import Glibc
import Scheduling
import Testing

@testable import SessionAgent

/// What a refresh attempt can mean, row by row, each with a real request through the fault proxy.
@Suite struct OutcomeTableTests {
  struct Row: Sendable, CustomStringConvertible {
    var description: String
    /// What the proxy does; nil: nothing, the row is about the way there.
    var plan: String?
    var outcome: AttemptClass
    var status = SessionAgent.ExitStatus.tryLater
    var spend = Snapshot.Spend.settled
    var state = "authenticated"
    /// Refresh grants that reached the server.
    var reached = 0
    var retryAfter: ClosedRange<Duration>?
    /// Where the request goes instead.
    var endpoint: String?
  }

  static func answer(_ status: Int, _ body: String, _ headers: String = "") -> String {
    let quoted = body.replacing("\"", with: #"\""#)
    return #"{"mode":"status","status":\#(status),"body":"\#(quoted)","headers":{\#(headers)}}"#
  }

  static let page = "<html>Hotel Wi-Fi: please accept the terms</html>"
  static let html = #""Content-Type":"text/html""#

  static let notSpent = [
    // A label of 64 letters is no name: the resolver says so without asking anybody.
    Row(
      description: "DNS failure", outcome: .transient,
      endpoint: "https://\(String(repeating: "a", count: 64)).example/token"),
    Row(description: "connection refused", outcome: .transient, endpoint: "http://127.0.0.1:1/token"),
    Row(description: "408", plan: answer(408, ""), outcome: .transient),
    Row(description: "429", plan: answer(429, "{}"), outcome: .transient),
    Row(description: "503", plan: answer(503, page, html), outcome: .transient),
    Row(
      description: "429 with Retry-After in seconds", plan: answer(429, "", #""Retry-After":"120""#),
      outcome: .transient, retryAfter: .seconds(120)...(.seconds(120))),
    Row(
      description: "503 with Retry-After for ever",
      plan: answer(503, "", #""Retry-After":"99999999999999999999""#),
      outcome: .transient, retryAfter: .seconds(86_400)...(.seconds(86_400))),
    Row(description: "captive portal, 200", plan: #"{"mode":"html"}"#, outcome: .transient),
    Row(
      description: "captive portal, 302", plan: answer(302, page, #""Location":"http://127.0.0.1:1/""#),
      outcome: .transient),
    Row(description: "captive portal, 403", plan: answer(403, page, html), outcome: .transient),
    Row(description: "captive portal, 511", plan: answer(511, page, html), outcome: .transient),
  ]

  static func ambiguous(_ name: String, _ plan: String, reached: Int = 0) -> Row {
    Row(
      description: name, plan: plan, outcome: .ambiguous, spend: .ambiguous,
      state: "authenticatedUnverified", reached: reached)
  }

  static let maybeSpent = [
    ambiguous("reset, and the server never saw it", #"{"mode":"drop_before"}"#),
    ambiguous("reset after the server committed", #"{"mode":"drop_after"}"#, reached: 1),
    ambiguous("a body cut short", #"{"mode":"partial"}"#, reached: 1),
    ambiguous("500", answer(500, #"{"error":"server_error"}"#)),
    ambiguous("500 that names an error", answer(500, #"{"error":"invalid_grant"}"#)),
    ambiguous("502", answer(502, page, html)),
    ambiguous("504", answer(504, "")),
    ambiguous("200 without a token", #"{"mode":"strip","key":"access_token"}"#, reached: 1),
    ambiguous(
      "200 with a token that is null", #"{"mode":"set","key":"access_token","value":null}"#, reached: 1),
    ambiguous(
      "200 with a token that is empty", #"{"mode":"set","key":"access_token","value":""}"#, reached: 1),
    ambiguous(
      "200 with a token that is no text", #"{"mode":"set","key":"access_token","value":7}"#, reached: 1),
    ambiguous("200 with nothing", answer(200, "")),
    ambiguous("200 with half an object", answer(200, #"{"access_token":"#)),
  ]

  static let refused =
    ["invalid_client", "unauthorized_client", "invalid_scope", "invalid_request", "unsupported_grant_type"]
    .map {
      Row(
        description: $0, plan: answer($0 == "invalid_client" ? 401 : 400, #"{"error":"\#($0)"}"#),
        outcome: .configuration, status: .configuration)
    } + [
      Row(description: "400, empty", plan: answer(400, ""), outcome: .rejectedUnknown),
      Row(description: "401, empty", plan: answer(401, ""), outcome: .rejectedUnknown),
      Row(
        description: "400, unknown", plan: answer(400, #"{"error":"mercury_retrograde"}"#),
        outcome: .rejectedUnknown),
      Row(description: "403", plan: answer(403, #"{"error":"forbidden"}"#), outcome: .rejectedUnknown),
      Row(description: "401, no words", plan: answer(401, "{}"), outcome: .rejectedUnknown),
    ]

  /// One world for all rows: a server costs more than a refresh.
  @Test func `what it means, and the session is kept`() throws {
    let world = try FlowWorld()
    for row in Self.notSpent + Self.maybeSpent + Self.refused {
      world.provider.endpoints.token = nil
      try world.begin()
      try SpendJournal.clear(world.file("journal"))
      world.provider.endpoints.token = row.endpoint
      try world.plan(row.plan ?? #"{"mode":"pass"}"#)
      try check(row, world)
    }
  }

  private func check(_ row: Row, _ world: FlowWorld) throws {
    let (before, spends) = try (world.sessionBytes(), world.spends())
    let report = try world.agent().refresh()
    #expect(report.status == row.status, "\(row): \(report.message)")
    let attempt = try #require(world.snapshot?.lastAttempt)
    #expect(attempt.outcome == row.outcome, "\(row): \(attempt.detail)")
    #expect(world.snapshot?.spend == row.spend, "\(row)")
    #expect(try world.state()?.name == row.state, "\(row)")
    #expect(try world.spends() - spends == row.reached, "\(row)")
    #expect(try world.sessionBytes() == before, "\(row)")
    if let expected = row.retryAfter {
      #expect(expected ~= (attempt.retryAfter ?? .zero), "\(row)")
    } else if row.outcome == .transient {
      #expect(attempt.retryAfter == nil, "\(row)")
    }
  }

  @Test func `Retry-After may be a date`() throws {
    let world = try FlowWorld()
    try world.begin()
    var seconds = time(nil) + 300
    var parts = tm()
    gmtime_r(&seconds, &parts)
    var text = [CChar](repeating: 0, count: 64)
    let length = strftime(&text, text.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
    let date = String(decoding: text.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    try world.plan(Self.answer(503, "", #""Retry-After":"\#(date)""#))
    #expect(try world.agent().refresh().status == .tryLater)
    let delay = try #require(world.snapshot?.lastAttempt?.retryAfter)
    #expect(.seconds(280)...Duration.seconds(300) ~= delay)
  }

  @Test func `no answer in time is ambiguous`() throws {
    let world = try FlowWorld()
    try world.begin()
    world.provider.requestTimeout = .seconds(1)
    try world.plan(#"{"mode":"hang_after","seconds":60}"#)
    #expect(try world.agent().refresh().status == .tryLater)
    #expect(world.snapshot?.lastAttempt?.outcome == .ambiguous)
    #expect(world.snapshot?.spend == .ambiguous)
    #expect(try world.spends() == 1)
    try world.proxy.post("/_release")
  }

  @Test func `killed with an open spend is ambiguous`() throws {
    let world = try FlowWorld()
    try world.begin()
    #expect(try world.run(["refresh", "work"], failpoint: .afterSpendRecord).ending == .killed(SIGKILL))
    #expect(try world.agent().publish().status == .success)
    #expect(world.snapshot?.spend == .ambiguous)
    #expect(try world.state()?.name == "authenticatedUnverified")
  }

  @Test func `a token that has expired already is stored, and believed by nobody`() throws {
    let world = try FlowWorld()
    try world.begin()
    let before = try world.record()
    try world.plan(#"{"mode":"set","key":"expires_in","value":0}"#)
    #expect(try world.agent().refresh().status == .tryLater)
    #expect(world.snapshot?.lastAttempt?.outcome == .clockSuspect)
    #expect(world.snapshot?.lastAttempt?.retryAfter == .seconds(900), "no loop")
    #expect(world.snapshot?.spend == .settled)
    #expect(try world.state()?.name == "authenticatedUnverified")
    #expect(try !#require(world.record().refreshToken).equals(#require(before.refreshToken)))
  }

  @Test func `invalid_grant ends a session`() throws {
    let world = try FlowWorld()
    try world.begin()
    try world.server.post("/test/revoke")
    #expect(try world.agent().refresh().status == .loginNeeded)
    #expect(try world.state() == .unauthenticated(.rejected))
    #expect(world.snapshot?.lastAttempt?.outcome == .definite)
    #expect(try world.agent().refresh().status == .loginNeeded)
    #expect(try world.spends() == 1, "nothing is sent for a session that is over")
  }

  @Test func `invalid_grant after an answer was lost is a lost rotation`() throws {
    let world = try FlowWorld()
    try world.begin()
    try world.plan(#"{"mode":"drop_after"}"#)
    #expect(try world.agent().refresh().status == .tryLater)
    try world.age(by: .seconds(400))
    #expect(try world.agent().refresh().status == .loginNeeded)
    #expect(try world.state() == .unauthenticated(.lostRotation))
    #expect(world.snapshot?.lastAttempt?.outcome == .lostRotation)
  }

  @Test func `invalid_grant for a token that the store has replaced meanwhile is a stale read`() throws {
    let world = try FlowWorld()
    try world.begin()
    let mine = try world.record()
    let token = try #require(mine.refreshToken)
    // Another process rotates while our request is on its way, which only one without our lock could do.
    let answer = try world.server.post(
      "/token", "grant_type=refresh_token&client_id=nightlatch&refresh_token=\(token.text)")
    let theirs = try #require(TokenAnswer(answer))
    var rotated = mine
    (rotated.accessToken, rotated.refreshToken, rotated.generation) = (
      theirs.accessToken, theirs.refreshToken, 2
    )
    try world.put(rotated)
    let agent = try world.agent()
    let journal = try SpendJournal(
      path: world.file("journal"), generation: mine.generation, token: TokenHash(of: token))
    let stale = RefreshPhase(
      agent: agent, publication: try agent.publication(), journal: journal, record: mine, token: token)
    #expect(try stale.run().status == .success)
    #expect(try world.spends() == 2)
    #expect(try world.record().generation == 2)
    #expect(try world.state()?.name == "authenticated")
  }

  static let refusals = [
    (400, ""), (401, ""), (401, #"{"error":"invalid_token"}"#), (403, #"{"error":"forbidden"}"#),
  ]

  @Test(arguments: refusals)
  func `a refusal without words, or in words nobody knows, is tried three times, spaced, then parked`(
    status: Int, body: String
  ) throws {
    let world = try FlowWorld()
    try world.begin()
    try world.plan("[" + Array(repeating: Self.answer(status, body), count: 9).joined(separator: ",") + "]")
    for attempt in 1...2 {
      #expect(try world.agent().refresh().status == .tryLater)
      #expect(world.snapshot?.lastAttempt?.retryAfter == RecoveryPlan.refusalSpacing)
      // Too early: nothing is sent.
      #expect(try world.agent().refresh().status == .tryLater)
      #expect(try world.requests() == attempt)
      try world.ageRefusals(by: RecoveryPlan.refusalSpacing)
    }
    #expect(try world.agent().refresh().status == .loginNeeded)
    #expect(try world.requests() == 3)
    try world.ageRefusals(by: .seconds(86_400))
    #expect(try world.agent().refresh().status == .loginNeeded)
    #expect(try world.requests() == 3)
    #expect(try world.state()?.user?.id == "alice", "parked, not logged out")
  }

  @Test func `a configuration error leaves the token for when it is mended`() throws {
    let world = try FlowWorld()
    try world.begin()
    world.provider.clientID = "nobody"
    #expect(try world.agent().refresh().status == .configuration)
    world.provider.clientID = "nightlatch"
    #expect(try world.agent().refresh().status == .success)
  }

  /// Any status with any body that is no token and no `invalid_grant`: the store keeps its bytes.
  @Test func `no answer but a definite one touches the store`() throws {
    let world = try FlowWorld()
    try world.begin()
    let before = try world.sessionBytes()
    let bodies = ["", Self.page, "{}", "[]", #"{"error":null}"#, #"{"error":"server_error"}"#, #"{"error":"#]
    for status in [200, 204, 301, 307, 400, 401, 403, 404, 407, 408, 418, 429, 451, 500, 502, 503, 504, 520] {
      for body in bodies {
        try SpendJournal.clear(world.file("journal"))
        try world.plan(Self.answer(status, status == 204 ? "" : body, Self.html))
        _ = try world.agent().refresh()
        #expect(try world.sessionBytes() == before, "\(status) \(body)")
        #expect(try world.state()?.user?.id == "alice", "\(status) \(body)")
      }
    }
  }
}

extension FlowWorld {
  /// How many token requests reached the proxy.
  fileprivate func requests() throws -> Int {
    try proxy.get("/_log").objects("requests").count { $0.string("path") == "/token" }
  }

  /// Makes the refusals in the journal older than they are.
  fileprivate func ageRefusals(by duration: Duration) throws {
    let record = try record()
    guard let token = record.refreshToken else { throw TestFailure("no refresh token") }
    let hash = TokenHash(of: token)
    let history = try SpendJournal.read(file("journal"), generation: record.generation, token: hash)
    let lines = history.records(token: hash).map { entry in
      guard case .refused(let hash, var moment) = entry else { return entry.line }
      moment.boot = moment.boot - duration
      moment.wall = moment.wall - duration
      return SpendRecord.refused(hash, at: moment).line
    }
    try ReservedFile(replacing: file("journal"), size: 4096).commit(Array(lines.joined().utf8))
  }
}
