import AuthModel
import Glibc
import Scheduling
import Testing

@testable import SessionAgent

/// Whose session it is: ID tokens at a login and on a refresh, against a server that gets them wrong.
@Suite struct IdentityTests {
  static let forgeries = ["none", "hs256", "kid", "signature", "crit"]
  static let foreign = ["iss", "aud", "azp"]
  static let clocks = ["expired", "future"]

  static let logins = (forgeries + foreign + clocks).flatMap { fault in
    ["ES256", "RS256"].map { (fault, $0) }
  }

  @Test(arguments: logins) func `a login with a wrong ID token is none`(fault: String, algorithm: String)
    throws
  {
    let world = try FlowWorld(["--id-token-alg", algorithm, "--id-token-fault", fault])
    let error = #expect(throws: AgentError.self) { try world.login() }
    #expect(error?.status == .loginNeeded && error?.description.contains("ID token") == true)
    #expect(try world.sessionBytes() == nil)
    #expect(world.snapshot == nil)
  }

  // The algorithm that the client is registered with.

  @Test func `a login whose ID token is signed with another algorithm than the provider file names is none`()
    throws
  {
    let world = try FlowWorld(["--id-token-alg", "ES256"])
    world.provider.idTokenAlgorithm = .rs256
    let error = #expect(throws: AgentError.self) { try world.login() }
    #expect(
      error?.description.contains("is signed with ES256, but id_token_signed_response_alg asks for RS256")
        == true)
    #expect(try world.sessionBytes() == nil)
    try world.settings("id_token_alg=RS256")
    try world.forgetKeyFetch()
    #expect(try world.login().status == .success)
  }

  @Test func `a refresh whose ID token is signed with another keeps the session, unverified`() throws {
    let world = try FlowWorld(["--id-token-alg", "ES256"])
    world.provider.idTokenAlgorithm = .es256
    try world.login()
    try world.settings("id_token_alg=RS256")
    #expect(try world.agent().refresh().status == .tryLater)
    #expect(world.snapshot?.lastAttempt?.outcome == .rejectedUnknown)
    #expect(
      world.snapshot?.lastAttempt?.detail
        == "the ID token is signed with RS256, but id_token_signed_response_alg asks for ES256; correct that key or the client's registration"
    )
    #expect(try world.record().generation == 2)
    #expect(try world.state()?.name == "authenticatedUnverified")
    world.provider.idTokenAlgorithm = nil
    try world.forgetKeyFetch()
    #expect(try world.agent().refresh().status == .success)
    #expect(try world.state()?.name == "authenticated")
  }

  @Test func `a key need not be named where there is one`() throws {
    let world = try FlowWorld(["--id-token-fault", "no_kid"])
    #expect(try world.login().status == .success)
  }

  @Test func `a login without the provider's keys does not begin`() throws {
    let world = try FlowWorld()
    try world.plan(#"{"mode":"status","status":500,"path":"/jwks.json","times":-1}"#)
    let error = #expect(throws: AgentError.self) {
      try world.agent().login { _ in Issue.record("a person was asked") }
    }
    #expect(error?.status == .tryLater)
  }

  @Test func `a provider that publishes no keys is believed, its claims are not`() throws {
    let world = try FlowWorld(["--id-token-fault", "signature"])
    try world.plan(#"{"mode":"strip","key":"jwks_uri","path":"/.well-known","times":-1}"#)
    #expect(try world.login().status == .success)
    try world.settings("id_token_fault=aud")
    #expect(throws: AgentError.self) { try world.login() }
  }

  // On a refresh.

  /// The new pair is stored, for the old one is spent; but nothing is verified by it.
  @Test(arguments: forgeries + clocks)
  func `a refresh whose ID token can't be believed keeps the session, unverified`(fault: String) throws {
    let world = try FlowWorld()
    try world.login()
    let before = try world.record()
    try world.settings("id_token_fault=\(fault)")
    let report = try world.agent().refresh()
    #expect(report.status == .tryLater, "\(report.message)")
    let after = try world.record()
    #expect(after.generation == before.generation + 1 && after.user == before.user)
    #expect(try world.state()?.name == "authenticatedUnverified")
    let attempt = try #require(world.snapshot?.lastAttempt)
    #expect(attempt.outcome == (Self.clocks.contains(fault) ? .clockSuspect : .rejectedUnknown))
    #expect(attempt.detail.contains("ID token") && attempt.retryAfter != nil)
    #expect(world.snapshot?.spend == .settled)
    // No better after a restart.
    _ = try world.agent().publish()
    #expect(try world.state()?.name == "authenticatedUnverified")

    try world.settings("id_token_fault=")
    #expect(try world.agent().refresh().status == .success)
    #expect(try world.state()?.name == "authenticated")
  }

  @Test(arguments: foreign + ["sub"])
  func `a refresh that answers for somebody else is put aside and told to nobody`(fault: String) throws {
    let world = try FlowWorld()
    try world.login()
    let before = try world.sessionBytes()
    let token = try #require(try world.tokenFile()?.token)
    try world.settings("id_token_fault=\(fault)")
    let report = try world.agent().refresh()
    #expect(report.status == .loginNeeded && report.message.contains("somebody else"), "\(report.message)")
    #expect(try world.sessionBytes() == before)
    #expect(try world.tokenFile()?.token == token)
    #expect(try world.state() == .authenticatedUnverified(try world.record().user))
    #expect(world.snapshot?.lastAttempt?.detail.contains("ID token") == true)
    #expect(world.snapshot?.lastAttempt?.outcome == .rejectedUnknown)
    guard case .present(let foreign) = try world.agent().quarantine.load() else {
      Issue.record("nothing was put aside")
      return
    }
    #expect(foreign.user.id == (fault == "sub" ? "mallory" : "alice"))
    // Parked: nothing is sent any more.
    try world.settings("id_token_fault=")
    #expect(try world.agent().refresh().status == .loginNeeded)
    #expect(try world.spends() == 1)

    // A login ends it, and the other's tokens with it.
    try world.login()
    #expect(try world.state()?.name == "authenticated")
    #expect(try world.revoked() == world.hashes(of: foreign))
    guard case .missing = try world.agent().quarantine.load() else {
      Issue.record("it is still there")
      return
    }
  }

  @Test func `a logout revokes what was put aside, too`() throws {
    let world = try FlowWorld()
    try world.login()
    try world.settings("id_token_fault=sub")
    _ = try world.agent().refresh()
    #expect(try world.agent().logout().status == .success)
    #expect(try world.revoked().count == 4)
    #expect(try File.read(world.file("quarantine"), limit: 1 << 16) == nil)
  }

  @Test func `an ID token may be absent on a refresh`() throws {
    let world = try FlowWorld()
    try world.login()
    try world.settings("id_token=false")
    #expect(try world.agent().refresh().status == .success)
    #expect(try world.state()?.user?.email == "alice@example.com")
    #expect(try world.record().authTime != nil)
  }

  @Test func `the time of the login stays what it was`() throws {
    let world = try FlowWorld()
    try world.login()
    let authTime = try world.record().authTime
    try world.settings("id_token_fault=auth_time")
    #expect(try world.agent().refresh().status == .success)
    #expect(try world.record().authTime == authTime)
  }

  // Keys.

  @Test func `new keys are fetched when they are needed`() throws {
    let world = try FlowWorld()
    try world.login()
    #expect(try world.agent().refresh().status == .success)
    #expect(try world.keyFetches() == 1)
    try world.forgetKeyFetch()
    try world.server.post("/test/rotate-keys")
    #expect(try world.agent().refresh().status == .success)
    #expect(try world.state()?.name == "authenticated")
    #expect(try world.keyFetches() == 2)
    #expect(try world.record().isVerified)
  }

  @Test func `no token makes us fetch keys more than once in a while`() throws {
    let world = try FlowWorld(["--id-token-fault", "kid"])
    try world.begin()
    for _ in 0..<5 { #expect(try world.agent().refresh().status == .tryLater) }
    #expect(try world.spends() == 5)
    #expect(try world.keyFetches() == 1)
    try world.forgetKeyFetch()
    for _ in 0..<3 { _ = try world.agent().refresh() }
    #expect(try world.keyFetches() == 2)
  }

  @Test func `keys that can't be fetched any more still serve`() throws {
    let world = try FlowWorld()
    try world.login()
    try world.forgetKeyFetch(ago: 100_000)
    try world.plan(#"{"mode":"status","status":500,"path":"/jwks.json","times":-1}"#)
    #expect(try world.agent().refresh().status == .success)
    #expect(try world.state()?.name == "authenticated")
  }

  @Test func `without any key a refresh keeps the session and verifies nothing`() throws {
    let world = try FlowWorld()
    try world.begin()
    unlink(world.file("jwks"))
    try world.plan(#"{"mode":"status","status":500,"path":"/jwks.json","times":-1}"#)
    #expect(try world.agent().refresh().status == .tryLater)
    #expect(try world.record().generation == 2)
    #expect(try world.state()?.name == "authenticatedUnverified")
  }
}

extension FlowWorld {
  func keyFetches() throws -> Int { Int(try server.get("/test/log").number("jwks") ?? -1) }

  /// Makes the last fetch of the keys longer ago than the cooldown, or than it pleases.
  func forgetKeyFetch(ago seconds: Int = 600) throws {
    var times = [timeval(), timeval()]
    gettimeofday(&times[0], nil)
    times[0].tv_sec -= seconds
    times[1] = times[0]
    guard utimes(file("jwks"), times) == 0 else { throw TestFailure("no keys are cached") }
  }
}
