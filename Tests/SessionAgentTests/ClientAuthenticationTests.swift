import AuthModel
import Glibc
import Scheduling
import Testing

@testable import SessionAgent

/// How a client shows who it is, against a server that looks closely.
@Suite struct ClientAuthenticationTests {
  /// The private half of what the test server knows as the key of `nightlatch-jwt`.
  static let key = """
    {"kty":"EC","crv":"P-256","kid":"69m-sYH3TyY","d":"wf5xQIoJ2HDttpv0n78vZnPD2dXjRJpYf4dqGWcSZTg",\
    "x":"Olqac-MfQOiyJ014HRqAYiXR9RdF-W_IRBuX095izzQ","y":"YT9MOOad_NMqVXOzXF8j9GQNoxZ8PENt8nXtyP6U_QQ"}
    """
  static let otherKey = """
    {"kty":"EC","crv":"P-256","d":"870MB6gfuTJ4HtUnUvYMyJpr5eUZNP4Bk43bVdj3eAE",\
    "x":"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4","y":"4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM"}
    """

  private func world(_ key: String, _ audience: ProviderDefinition.AssertionAudience = .endpoint) throws
    -> FlowWorld
  {
    let world = try FlowWorld()
    world.provider.clientID = "nightlatch-jwt"
    try world.folder.write("key", key, mode: 0o600)
    world.provider.clientAuthentication = .privateKeyJWT(
      .file(world.folder.path + "/key"), audience: audience)
    return world
  }

  @Test(arguments: ProviderDefinition.AssertionAudience.allCases) func `a signed assertion is new each time`(
    _ audience: ProviderDefinition.AssertionAudience
  ) throws {
    let world = try world(Self.key, audience)
    try world.begin()
    // The server refuses an assertion that comes twice.
    for _ in 1...3 { #expect(try world.agent().refresh().status == .success) }
    let expected = world.proxy.url + (audience == .issuer ? "" : "/token")
    #expect(try world.server.get("/test/log").string("audience") == expected)
  }

  @Test func `another key is a matter of configuration, and nothing is spent`() throws {
    let world = try world(Self.otherKey)
    try world.begin()
    let before = try world.sessionBytes()
    #expect(try world.agent().refresh().status == .configuration)
    #expect(world.snapshot?.lastAttempt?.outcome == .configuration)
    #expect(world.snapshot?.spend == .settled)
    #expect(try world.sessionBytes() == before)
  }

  @Test(arguments: [
    "", "no key", "{}", #"{"kty":"oct","k":"AAAA"}"#, key.replacing("\"d\"", with: "\"e\""),
    key.replacing("P-256", with: "P-384"), key.replacing("\"kid\"", with: "\"alg\":\"none\",\"kid\""),
    key.replacing("\"kid\"", with: "\"alg\":\"HS256\",\"kid\""), key.replacing("wf5x", with: "w!5x"),
    key.replacing("\"x\"", with: "\"z\""), key.replacing("\"y\":\"YT9M", with: "\"y\":\""),
    #"{"kty":"RSA","n":"AQAB","e":"AQAB","d":"AQAB"}"#,
  ]) func `what is no private key is refused before anything is sent`(_ text: String) throws {
    let world = try world(text)
    try world.begin()
    #expect(try world.agent().refresh().status == .configuration)
    #expect(try world.server.get("/test/log").objects("requests").isEmpty)
  }

  @Test func `a key that others may read is refused`() throws {
    let world = try world(Self.key)
    chmod(world.folder.path + "/key", 0o644)
    try world.begin()
    let report = try world.agent().refresh()
    #expect(report.status == .configuration)
    #expect(report.message.contains("0600"))
  }

  @Test func `an assertion says who, for whom and for how long`() throws {
    let key = try #require(ClientKey(jwk: Secret(Self.key)))
    let assertion = ClientAssertion(clientID: "a\"b\n", audience: "https://as.example/token")
    let parts = try assertion.signed(with: key).text.split(separator: ".")
    let header = try #require(Secret.decodingBase64URL(parts[0].utf8).flatMap(JSONObject.parse))
    let claims = try #require(Secret.decodingBase64URL(parts[1].utf8).flatMap(JSONObject.parse))
    #expect(header.string("alg") == "ES256")
    #expect(header.string("kid") == "69m-sYH3TyY")
    #expect(claims.string("iss") == "a\"b\n")
    #expect(claims.string("sub") == "a\"b\n")
    #expect(claims.string("aud") == "https://as.example/token")
    #expect(claims.string("jti")?.count == 32)
    let (issued, expires) = try (#require(claims.seconds("iat")), #require(claims.seconds("exp")))
    #expect(expires - issued == ClientAssertion.lifetime)
  }

  @Test func `a secret with odd characters is encoded before base64`() throws {
    let world = try FlowWorld()
    world.provider.clientID = "nightlatch odd"
    try world.folder.write("secret", "p%ss:w rd+\n", mode: 0o600)
    for authentication in [
      ProviderDefinition.ClientAuthentication.secretBasic(.file(world.folder.path + "/secret")),
      .secretPost(.file(world.folder.path + "/secret")),
    ] {
      world.provider.clientAuthentication = authentication
      try world.begin()
      #expect(try world.agent().refresh().status == .success)
    }
  }

  @Test func `a configured proxy is used, on this machine too`() throws {
    let world = try FlowWorld(["--id-token", "false"])
    world.provider.kind = .oauth2
    world.provider.endpoints.token = world.server.url + "/token"
    world.provider.transport.proxy = world.proxy.url
    try world.begin()
    #expect(try world.agent().refresh().status == .success)
    let paths = try world.proxy.get("/_log").objects("requests").compactMap { $0.string("path") }
    #expect(paths.contains(world.server.url + "/token"))
  }
}
