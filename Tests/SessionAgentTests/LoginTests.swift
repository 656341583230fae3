import AuthModel
import Glibc
import Scheduling
import Testing

@testable import SessionAgent

/// The other ways in: the device flow at a terminal, an imported token, a client of its own; and out.
@Suite struct LoginTests {
  // The device flow.

  @Test func `slow_down is obeyed, and the person is told how long there is time`() throws {
    let world = try FlowWorld(["--slow-downs", "1"])
    var lefts: [Duration] = []
    let report = try world.agent().login { step in
      switch step {
      case .device: _ = try? world.server.post("/test/approve")
      case .waiting(let left, _): lefts.append(left)
      case .browser: Issue.record("no browser was asked for")
      }
    }
    #expect(report.status == .success)
    // One second, then one and five more: told about once in each.
    #expect(lefts.count >= 6 && lefts == lefts.sorted(by: >))
    #expect(try world.text("/test/log").components(of: "slow_down") == 1)
  }

  @Test func `a code that expires says so`() throws {
    let world = try FlowWorld(["--device-lifetime", "3"])
    let (ending, output) = try world.run(["login", "work", "--device"])
    #expect(ending == .exited(77))
    #expect(output.contains("the code has expired"), "\(output)")
  }

  @Test func `a terminal shows the code for a camera and counts down`() throws {
    let world = try FlowWorld()
    let shown = try world.atTerminal(columns: 120, ["login", "work"]) { line in
      if line.contains("user_code=") { try world.server.post("/test/approve") }
    }
    #expect(shown.contains("▀") && shown.contains("█") && shown.contains("\u{1b}[30;107m"))
    #expect(shown.contains(" left"))
    #expect(shown.contains("logged in as Alice Example"))
  }

  @Test func `a narrow terminal shows the page alone`() throws {
    let world = try FlowWorld()
    let shown = try world.atTerminal(columns: 30, ["login", "work"]) { line in
      if line.contains("user_code=") { try world.server.post("/test/approve") }
    }
    #expect(!shown.contains("█") && shown.contains("logged in as Alice Example"))
  }

  // Imported tokens.

  @Test func `an imported token is verified at once and then belongs to us`() throws {
    let world = try FlowWorld()
    let token = try world.grantedToken()
    let agent = try world.start(["login", "work", "--import"])
    agent.write(token + "\n")
    let output = agent.readAll()
    #expect(agent.wait() == .exited(0), "\(output)")
    #expect(output.contains("logged in as Alice Example") && !output.contains(token))
    #expect(try world.spends() == 1)
    #expect(try world.state()?.name == "authenticated")
    #expect(try world.record().refreshToken?.text != token)
    #expect(try world.run(["refresh", "work"]).ending == .exited(0))
  }

  @Test func `a server that does not rotate leaves the imported token good`() throws {
    let world = try FlowWorld(["--rotate", "false"])
    let token = try world.grantedToken()
    try world.plan(#"{"mode":"strip","key":"refresh_token"}"#)
    #expect(try world.agent().login(.refreshToken(Secret(token))) { _ in }.status == .success)
    #expect(try world.record().refreshToken?.text == token)
  }

  static let imports = [
    ("", "not a refresh token"), ("two words", "not a refresh token"), ("never-issued", "invalid_grant"),
  ]

  @Test(arguments: imports) func `a bad import leaves the session that there was`(
    token: String, words: String
  ) throws {
    let world = try FlowWorld()
    try world.begin()
    let before = try world.sessionBytes()
    let error = #expect(throws: AgentError.self) {
      try world.agent().login(.refreshToken(Secret(token))) { _ in }
    }
    #expect(error?.status == .loginNeeded && error?.description.contains(words) == true)
    #expect(try world.sessionBytes() == before)
    #expect(try world.state()?.name == "authenticated")
  }

  @Test func `an import whose answer is lost says that the token may be gone`() throws {
    let world = try FlowWorld()
    let token = try world.grantedToken()
    try world.plan(#"{"mode":"drop_after","path":"/token"}"#)
    let error = #expect(throws: AgentError.self) {
      try world.agent().login(.refreshToken(Secret(token))) { _ in }
    }
    #expect(error?.description.contains("nobody knows whether") == true)
  }

  // A client of its own.

  private func service(_ options: [String] = []) throws -> FlowWorld {
    let world = try FlowWorld(options)
    try world.folder.write("secret", "loopback-secret\n", mode: 0o600)
    world.provider.clientID = "nightlatch-confidential"
    world.provider.clientAuthentication = .secretBasic(.file(world.folder.path + "/secret"))
    world.provider.grant = .clientCredentials
    world.provider.scopes = ["reports"]
    return world
  }

  @Test func `a client gets tokens without a login, a new one each time`() throws {
    let world = try service()
    #expect(try world.agent().publish().status == .success)
    // Not "logged out": jobs wait for the first token instead of being skipped.
    #expect(try world.state() == .authenticatedUnverified(User(id: "nightlatch-confidential")))
    #expect(try world.tokenFile() == nil)
    #expect(try world.agent().refresh().status == .success)
    #expect(try world.state() == .authenticated(User(id: "nightlatch-confidential")))
    let first = try world.record()
    #expect(first.refreshToken == nil)
    #expect(try world.agent().refresh().status == .success)
    let second = try world.record()
    #expect(second.generation == first.generation + 1 && second.accessToken.text != first.accessToken.text)
    #expect(try world.agent().refresh(newerThan: first.generation).status == .success)
    #expect(try world.record().generation == second.generation)
    #expect(try world.tokenFile()?.token == second.accessToken.text)
    #expect(try world.spends() == 0)
  }

  @Test func `a lost answer costs a client nothing`() throws {
    let world = try service()
    #expect(try world.agent().refresh().status == .success)
    try world.plan(#"{"mode":"drop_after","path":"/token"}"#)
    #expect(try world.agent().refresh().status == .tryLater)
    #expect(world.snapshot?.spend == .settled && world.snapshot?.lastAttempt?.outcome == .transient)
    #expect(try world.state()?.name == "authenticated")
    #expect(try world.agent().refresh().status == .success)
  }

  @Test func `a client that is refused is a configuration error, not a logout`() throws {
    let world = try service()
    try world.folder.write("secret", "wrong\n", mode: 0o600)
    #expect(try world.agent().refresh().status == .configuration)
    #expect(world.snapshot?.lastAttempt?.outcome == .configuration)
    #expect(try world.state()?.name == "authenticatedUnverified")
  }

  @Test func `a client's logout lasts until its login`() throws {
    let world = try service()
    #expect(try world.agent().logout().status == .success)
    #expect(try world.state() == .unauthenticated(.loggedOut))
    #expect(try world.agent().refresh().status == .loginNeeded)
    #expect(throws: AgentError.self) { try world.agent().login(.device) { _ in } }
    #expect(try world.agent().login { _ in }.status == .success)
    #expect(try world.state()?.name == "authenticated")
    #expect(try world.agent().logout().status == .success)
    #expect(try world.tokenFile() == nil)
  }

  // Logout.

  @Test func `a logout revokes the refresh token, then the access token`() throws {
    let world = try FlowWorld()
    try world.begin()
    let record = try world.record()
    #expect(try world.agent().logout().message == "work: logged out")
    #expect(try world.revoked() == world.hashes(of: record))
    #expect(try world.state() == .unauthenticated(.loggedOut))
  }

  @Test func `a busy server is asked again`() throws {
    let world = try FlowWorld(["--revocation-failures", "2"])
    try world.begin()
    #expect(try world.agent().logout().message == "work: logged out")
    #expect(try world.revoked().count == 2)
  }

  static let objections = [
    (#"{"mode":"status","status":503,"path":"/revoke","times":-1}"#, "status 503"),
    (
      #"{"mode":"status","status":400,"body":"{\"error\":\"invalid_client\"}","path":"/revoke","times":-1}"#,
      "status 400"
    ),
    (#"{"mode":"drop_before","path":"/revoke","times":-1}"#, "not told"),
  ]

  @Test(arguments: objections) func `a server that can't be told keeps nobody logged in`(
    fault: String, words: String
  ) throws {
    let world = try FlowWorld()
    try world.begin()
    try world.plan(fault)
    let report = try world.agent().logout()
    #expect(report.status == .success)
    #expect(
      report.message.contains("the server was not told") && report.message.contains(words),
      "\(report.message)")
    #expect(try world.state() == .unauthenticated(.loggedOut))
    #expect(try world.tokenFile() == nil)
  }

  // A login in another's place.

  @Test func `another person's login ends the session that it replaces`() throws {
    let world = try FlowWorld()
    try world.login()
    let alice = try world.record()
    #expect(try world.login(as: "bob").message == "work: logged in as Bob Example")
    #expect(try world.revoked() == world.hashes(of: alice))
    #expect(try world.agent().refresh().status == .success)
    #expect(try world.state()?.user?.id == "bob")
  }

  /// To some servers both are one grant.
  @Test func `the same person's login revokes nothing`() throws {
    let world = try FlowWorld()
    try world.login()
    try world.login()
    #expect(try world.revoked().isEmpty)
    #expect(try world.agent().refresh().status == .success)
  }

  @Test func `whose session it was must be known to revoke it`() throws {
    let world = try FlowWorld(["--id-token", "false"])
    try world.login()
    try world.login(as: "bob")
    #expect(try world.revoked().isEmpty)
  }

  @Test func `an imported token that is the session's own outlives its import`() throws {
    let world = try FlowWorld(["--rotate", "false"])
    try world.login()
    let token = try #require(try world.record().refreshToken)
    #expect(try world.agent().login(.refreshToken(token)) { _ in }.status == .success)
    #expect(try world.revoked().isEmpty)
    #expect(try world.agent().refresh().status == .success)
  }

  @Test(arguments: objections)
  func `a session that can't be revoked is told of, and the login is none the worse`(
    fault: String, words: String
  ) throws {
    let world = try FlowWorld()
    try world.login()
    try world.plan(fault)
    let report = try world.login(as: "bob")
    #expect(report.status == .success)
    #expect(
      report.message.hasPrefix(
        "work: logged in as Bob Example; the session of Alice Example could not be revoked: ")
        && !report.message.contains("\n"), "\(report.message)")
    #expect(try world.state()?.user?.id == "bob")
    #expect(try world.agent().refresh().status == .success)
  }

  @Test func `a login that fails revokes nothing`() throws {
    let world = try FlowWorld()
    try world.login()
    try world.settings("id_token_fault=aud")
    #expect(throws: AgentError.self) { try world.login(as: "bob") }
    #expect(try world.revoked().isEmpty)
    try world.settings("id_token_fault=")
    #expect(try world.agent().refresh().status == .success)
    #expect(try world.state()?.user?.id == "alice")
  }
}
