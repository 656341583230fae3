import AuthModel
import Scheduling
import Testing

@testable import SessionAgent

/// Privy's envelope, nulls and traps, against a server of our own that follows what its SDKs expect.
@Suite struct PrivyTests {
  static let alice = User(
    id: "did:privy:alice", name: "alice@example.com",
    linkedAccounts: [
      LinkedAccount(kind: "email", identifier: "alice@example.com"),
      LinkedAccount(kind: "wallet", identifier: "0x71C7656EC7ab88b098defB751B7401B5f6d8976F"),
      LinkedAccount(kind: "farcaster", identifier: "4823"),
    ])

  @Test func `a refresh rotates, and the user's linked accounts reach the auth cache`() throws {
    let world = try FlowWorld.privy()
    try world.beginWithPrivy()
    let first = try world.record()
    #expect(try world.agent().refresh().status == .success)
    let second = try world.record()
    #expect(second.generation == first.generation + 1)
    #expect(try !#require(second.refreshToken).equals(#require(first.refreshToken)))
    #expect(try !#require(second.providerToken).equals(#require(first.providerToken)))
    #expect(try world.state() == .authenticated(Self.alice))
    let lifetime = try #require(second.lifetime)
    #expect(.seconds(3590)...Duration.seconds(3601) ~= lifetime)
    #expect(try world.agent().refresh().status == .success)
    #expect(try world.spends() == 2)
  }

  @Test func `the headers are Privy's`() throws {
    let world = try FlowWorld.privy()
    world.provider.kind = .privy(
      ProviderDefinition.PrivyApp(
        id: "app-nightlatch", origin: "https://app.example", nativeIdentifier: "x.y"))
    try world.server.post("/test/settings", #"{"origin":"https://app.example"}"#)
    try world.beginWithPrivy()
    let record = try world.record()
    #expect(try world.agent().refresh().status == .success)
    let request = try #require(try world.server.get("/test/log").objects("requests").first)
    let headers = try #require(request.object("headers"))
    #expect(headers.string("privy-app-id") == "app-nightlatch")
    #expect(headers.string("privy-client-id") == "client-nightlatch")
    #expect(headers.string("x-native-app-identifier") == "x.y")
    #expect(headers.string("content-type") == "application/json")
    #expect(headers.string("authorization") == TokenHash(of: try #require(record.providerToken)).description)
    let installation = try #require(headers.string("privy-ca-id"))
    #expect(installation.split(separator: "-").map(\.count) == [8, 4, 4, 4, 12])
  }

  @Test func `ignore keeps the token that is still good, and that is a verification`() throws {
    let world = try FlowWorld.privy()
    try world.beginWithPrivy()
    let before = try world.record()
    try world.server.post("/test/settings", #"{"action":"ignore"}"#)
    #expect(try world.agent().refresh().status == .success)
    let after = try world.record()
    #expect(after.accessToken.equals(before.accessToken))
    #expect(try #require(after.refreshToken).equals(#require(before.refreshToken)))
    #expect(after.generation == before.generation + 1)
    #expect(try world.state() == .authenticated(Self.alice))
  }

  @Test func `ignore with a token that has expired is a failure`() throws {
    let world = try FlowWorld.privy()
    try world.server.post("/test/settings", #"{"access_lifetime":-60,"action":"ignore"}"#)
    try world.beginWithPrivy()
    let before = try world.sessionBytes()
    let report = try world.agent().refresh()
    #expect(report.status == .tryLater)
    #expect(report.message.contains("no new token"))
    #expect(world.snapshot?.lastAttempt?.outcome == .rejectedUnknown)
    #expect(try world.sessionBytes() == before)
    #expect(try world.state()?.name == "authenticatedUnverified")
  }

  @Test func `clear ends the session`() throws {
    let world = try FlowWorld.privy()
    try world.beginWithPrivy()
    try world.server.post("/test/settings", #"{"action":"clear"}"#)
    #expect(try world.agent().refresh().status == .loginNeeded)
    #expect(try world.state() == .unauthenticated(.rejected))
    #expect(try world.tokenFile() == nil)
    #expect(try world.agent().refresh().status == .loginNeeded)
    #expect(try world.spends() == 1)
  }

  @Test func `the word deprecated is no refresh token`() throws {
    let world = try FlowWorld.privy()
    try world.beginWithPrivy()
    let before = try world.sessionBytes()
    try world.server.post("/test/settings", #"{"cookies":true}"#)
    let report = try world.agent().refresh()
    #expect(report.status == .configuration)
    #expect(report.message.contains("HttpOnly cookie"))
    #expect(try world.sessionBytes() == before)

    var record = try world.record()
    record.refreshToken = Secret(PrivySession.cookieMode)
    try world.put(record)
    #expect(try world.agent().refresh().status == .configuration)
    #expect(try world.spends() == 1, "nothing is sent in its place")
  }

  /// Everything in the envelope may be null.
  @Test(arguments: [
    (#"["token"]"#, AttemptClass.ambiguous), (#"["refresh_token"]"#, .success),
    (#"["privy_access_token"]"#, .success),
    (#"["user"]"#, .success), (#"["session_update_action"]"#, .success),
    (#"["token","refresh_token","privy_access_token","user"]"#, .ambiguous),
  ]) func `a null is an absence`(nulls: String, outcome: AttemptClass) throws {
    let world = try FlowWorld.privy()
    try world.beginWithPrivy()
    let before = try world.record()
    try world.server.post("/test/settings", #"{"null":\#(nulls)}"#)
    _ = try world.agent().refresh()
    #expect(world.snapshot?.lastAttempt?.outcome == outcome)
    let after = try world.record()
    if nulls.contains(#""refresh_token""#) {
      #expect(try #require(after.refreshToken).equals(#require(before.refreshToken)))
    }
    #expect(after.providerToken != nil)
    #expect(after.user == Self.alice)
  }

  @Test func `another user in the answer is quarantined`() throws {
    let world = try FlowWorld.privy()
    try world.beginWithPrivy()
    let before = try world.sessionBytes()
    try world.plan(#"{"mode":"set","key":"user","value":{"id":"did:privy:bob"},"path":"/sessions"}"#)
    #expect(try world.agent().refresh().status == .loginNeeded)
    #expect(try world.sessionBytes() == before)
    #expect(try world.state()?.user == Self.alice)
    #expect(try world.agent().refresh().status == .loginNeeded)
    #expect(try world.spends() == 1)
  }

  static let faults: [(plan: String, outcome: AttemptClass, spend: Snapshot.Spend)] = [
    (#"{"mode":"html"}"#, .transient, .settled),
    (#"{"mode":"status","status":503,"body":""}"#, .transient, .settled),
    (#"{"mode":"status","status":429,"body":""}"#, .transient, .settled),
    (#"{"mode":"status","status":500,"body":""}"#, .ambiguous, .ambiguous),
    (
      #"{"mode":"status","status":403,"body":"<html>","headers":{"Content-Type":"text/html"}}"#, .transient,
      .settled
    ),
    (#"{"mode":"drop_before"}"#, .ambiguous, .ambiguous),
    (#"{"mode":"drop_after"}"#, .ambiguous, .ambiguous),
    (#"{"mode":"partial"}"#, .ambiguous, .ambiguous),
    (#"{"mode":"strip","key":"token"}"#, .ambiguous, .ambiguous),
    (#"{"mode":"strip","key":"refresh_token"}"#, .success, .settled),
  ]

  @Test func `a fault means what it means elsewhere`() throws {
    let world = try FlowWorld.privy()
    for fault in Self.faults {
      try world.beginWithPrivy()
      try SpendJournal.clear(world.file("journal"))
      try world.planForPrivy(fault.plan)
      _ = try world.agent().refresh()
      #expect(world.snapshot?.lastAttempt?.outcome == fault.outcome, "\(fault.plan)")
      #expect(world.snapshot?.spend == fault.spend, "\(fault.plan)")
      #expect(try world.state()?.user == Self.alice, "\(fault.plan)")
    }
  }

  @Test func `a refusal is not understood until the provider file says what it means`() throws {
    let world = try FlowWorld.privy()
    try world.beginWithPrivy()
    try world.server.post("/test/revoke")
    #expect(try world.agent().refresh().status == .tryLater)
    #expect(world.snapshot?.lastAttempt?.outcome == .rejectedUnknown)
    try SpendJournal.clear(world.file("journal"))
    world.provider.verdicts = [VerdictOverride(statuses: 401...401, outcome: .definite)]
    #expect(try world.agent().refresh().status == .loginNeeded)
    #expect(try world.state() == .unauthenticated(.rejected))
  }

  /// As a client that lets Privy's own token age finds out.
  @Test func `a code goes before a sentence`() throws {
    let world = try FlowWorld.privy()
    try world.beginWithPrivy()
    var record = try world.record()
    record.providerToken = Secret("stale")
    try world.put(record)
    let report = try world.agent().refresh()
    #expect(report.message.contains("missing_or_invalid_token"))
    #expect(world.snapshot?.lastAttempt?.outcome == .rejectedUnknown)
  }

  // A session that began in the app.

  /// Who brings a refresh token alone has no access token to show beside it.
  private func importing() throws -> (world: FlowWorld, token: String) {
    let world = try FlowWorld.privy()
    try world.server.post("/test/settings", #"{"check_bearer":false}"#)
    let grant = try world.server.post("/test/grant")
    return (world, try #require(grant.string("refresh_token")))
  }

  private func run(_ world: FlowWorld, importing word: String) throws -> (
    ending: Child.Ending, output: String
  ) {
    let agent = try world.start(["login", "work", "--import"])
    agent.write(word + "\n")
    agent.closeInput()
    let output = agent.readAll()
    return (agent.wait(), output)
  }

  @Test func `an imported session is verified at once, and from then on it is ours`() throws {
    let (world, token) = try importing()
    let (ending, output) = try run(world, importing: token)
    #expect(ending == .exited(0), "\(output)")
    #expect(output.contains("logged in as alice@example.com") && !output.contains(token))
    #expect(try world.state() == .authenticated(Self.alice))
    let record = try world.record()
    #expect(record.refreshToken.map { $0.text != token } == true && record.providerToken != nil)
    try world.server.post("/test/settings", #"{"check_bearer":true}"#)
    #expect(try world.agent().refresh().status == .success)
    #expect(try world.spends() == 2)
  }

  @Test func `the word deprecated can't be imported, and is not sent`() throws {
    let (world, _) = try importing()
    try world.beginWithPrivy()
    let before = try world.sessionBytes()
    let (ending, output) = try run(world, importing: "deprecated")
    #expect(ending == .exited(77))
    #expect(output.contains("the word \"deprecated\"") && output.contains("HttpOnly cookie"), "\(output)")
    #expect(try world.spends() == 0)
    #expect(try world.sessionBytes() == before)
    #expect(try world.state() == .authenticated(Self.alice))
  }

  static let badImports = [
    (#"{"action":"clear"}"#, "the session is over"), (#"{"action":"ignore"}"#, "no new token"),
    (#"{"cookies":true}"#, "HttpOnly cookie"), (#"{"null":["token"]}"#, "nobody knows whether"),
    (#"{"check_bearer":true}"#, "missing_or_invalid_token"),
  ]

  @Test(arguments: badImports) func `an import that brings no token leaves the session that there was`(
    settings: String, words: String
  ) throws {
    let (world, token) = try importing()
    try world.beginWithPrivy()
    let before = try world.sessionBytes()
    try world.server.post("/test/settings", settings)
    let error = #expect(throws: AgentError.self) {
      try world.agent().login(.refreshToken(Secret(token))) { _ in }
    }
    #expect(error?.status == .loginNeeded && error?.description.contains(words) == true, "\(error as Any)")
    #expect(try world.sessionBytes() == before)
    #expect(try world.state() == .authenticated(Self.alice))
  }

  @Test func `without a token to import there is no way in from here`() throws {
    let world = try FlowWorld.privy()
    let (ending, output) = try world.run(["login", "work"])
    #expect(ending == .exited(77) && output.contains("login --import"), "\(output)")
  }
}
