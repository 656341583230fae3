import AuthModel
import Scheduling
import Testing

@testable import SessionAgent

@Suite struct ParsingTests {
  static let lifetimes: [(String, Duration?)] = [
    ("300", .seconds(300)), ("\"300\"", .seconds(300)), ("300.9", .seconds(300)), ("null", nil),
    ("\"soon\"", nil), ("\"\"", nil), ("true", nil), ("-1", .seconds(-1)), ("1e300", .seconds(3_155_760_000)),
    ("99999999999999999999999", .seconds(3_155_760_000)), ("\"inf\"", nil), ("\"nan\"", nil),
  ]

  @Test(arguments: lifetimes) func `expires_in may be written in many ways`(text: String, lifetime: Duration?)
    throws
  {
    let object = try #require(JSONObject.parse(Secret(#"{"access_token":"a","expires_in":\#(text)}"#)))
    #expect(try #require(TokenAnswer(object)).lifetime == lifetime)
  }

  @Test(arguments: [("1800", Duration.seconds(1800)), ("0", nil), ("-1", nil), ("null", nil)])
  func `a refresh token that lives for 0 seconds has no end`(text: String, lifetime: Duration?) throws {
    let body = #"{"access_token":"a","refresh_expires_in":\#(text)}"#
    let object = try #require(JSONObject.parse(Secret(body)))
    #expect(try #require(TokenAnswer(object)).refreshLifetime == lifetime)
  }

  @Test(arguments: ["null", "\"\"", "[]", "true"])
  func `a refresh token that is none keeps the old one`(text: String) throws {
    let object = try #require(JSONObject.parse(Secret(#"{"access_token":"a","refresh_token":\#(text)}"#)))
    #expect(try #require(TokenAnswer(object)).refreshToken == nil)
  }

  @Test(arguments: [("\"a b\"", "a b"), ("\"\u{e9}\"", "\u{e9}"), ("7", "7")])
  func `a refresh token goes back as it came`(text: String, token: String) throws {
    let object = try #require(JSONObject.parse(Secret(#"{"access_token":"a","refresh_token":\#(text)}"#)))
    #expect(try #require(TokenAnswer(object)).refreshToken?.text == token)
  }

  static let oddities = [
    #""x":"Al \ud83d""#, #""x":"\udd80 a""#, #""x":"a\u0000""#, #""x":"\ud83e\udd80 \" \\""#,
    "\"x\":\"a\u{1}b\"",
    #""x":1e999"#, #""x":\#(String(repeating: "9", count: 400))"#, #""x":["\ud800",{"y":-1}]"#,
  ]

  @Test(arguments: oddities) func `what is odd in one member costs no token beside it`(member: String) throws
  {
    for prefix in ["", "\u{feff}"] {
      let text = Secret(prefix + #"{\#(member),"access_token":"at","refresh_token":"r\"t"}"#)
      let answer = try #require(JSONObject.parseAnswer(text).flatMap { TokenAnswer($0) })
      #expect(answer.accessToken.text == "at")
      #expect(answer.refreshToken?.text == "r\"t")
    }
  }

  @Test func `bytes that are no UTF-8 cost no token beside them`() throws {
    let text = Array(#"{"x":"a"#.utf8) + [0xff, 0xc3] + Array(#"","access_token":"at"}"#.utf8)
    let object = text.withUnsafeBytes { JSONObject.parseAnswer(Secret($0)) }
    #expect(object?.string("access_token") == "at")
  }

  @Test(arguments: ["", "null", "[]", "\"{}\"", "{", "{\"a\":\"b", "<html>", "{\"a\":\"\\"])
  func `an answer that is cut off is not mended`(text: String) {
    #expect(JSONObject.parseAnswer(Secret(text)) == nil)
  }

  @Test(arguments: ["", "null", "[]", "\"{}\"", "{", "{}}", "{\"a\":}", "\u{0}", "{\"a\":\"\\ud800\"}"])
  func `what is not one JSON object is none`(text: String) {
    #expect(JSONObject.parse(Secret(text)) == nil)
  }

  @Test func `a deeply nested body is refused and not followed`() {
    #expect(JSONObject.parse(Secret(String(repeating: "{\"a\":", count: 100_000))) == nil)
  }

  static let delays: [(String, Duration?)] = [
    ("120", .seconds(120)), ("0", .zero), (" 5 ", nil), ("-5", nil), ("1.5", nil), ("", nil),
    ("99999999999999999999", .seconds(86_400)), ("Sun, 06 Nov 1994 08:49:47 GMT", .seconds(10)),
    ("Sunday, 06-Nov-94 08:49:47 GMT", .seconds(10)), ("Sun Nov  6 08:49:47 1994", .seconds(10)),
    ("Sun, 06 Nov 1994 08:00:00 GMT", .zero), ("Sun, 06 Nov 2094 08:49:47 GMT", .seconds(86_400)),
    ("later", nil),
  ]

  @Test(arguments: delays) func `Retry-After is seconds or a date`(text: String, delay: Duration?) {
    #expect(HTTPTime.retryAfter(text, now: WallTime(seconds: 784_111_777)) == delay)
  }

  static let urls: [(String, Bool)] = [
    ("https://id.example.com/token", true), ("HTTPS://id.example.com", true),
    ("http://127.0.0.1:8080/t", true),
    ("http://[::1]:80/t", true), ("http://localhost/t", true), ("http://id.example.com/token", false),
    ("http://127.0.0.1@evil.example/t", false), ("http://127.0.0.1.evil.example/", false),
    ("http://localhost.evil.example/", false), ("https://user@id.example.com/", false),
    ("https://id.example.com/a b", false), ("https://id.example.com/\r\nHost: x", false), ("https://", false),
    ("https:///path", false), ("https://id.example.com\\@evil.example/", false), ("ftp://127.0.0.1/", false),
    ("file:///etc/passwd", false), ("", false), ("//id.example.com", false),
    ("https://id.example.com/#x", false),
  ]

  @Test(arguments: urls) func `only HTTPS or loopback is talked to`(url: String, isAllowed: Bool) {
    #expect(HTTPClient.isAllowed(url) == isAllowed)
  }

  static let issuers: [(String, [String])] = [
    (
      "https://id.example.com",
      [
        "https://id.example.com/.well-known/openid-configuration",
        "https://id.example.com/.well-known/oauth-authorization-server",
      ]
    ),
    (
      "https://id.example.com/o/",
      [
        "https://id.example.com/o/.well-known/openid-configuration",
        "https://id.example.com/.well-known/oauth-authorization-server/o",
      ]
    ),
  ]

  @Test(arguments: issuers) func `discovery asks in two places`(issuer: String, urls: [String]) {
    #expect(DiscoveryDocument.urls(issuer: issuer) == urls)
  }

  @Test(arguments: ["https://a.example/", "https://A.example", "https://b.example", "https://a.example/x"])
  func `another issuer's document is refused`(issuer: String) {
    let document = Secret(#"{"issuer":"https://a.example","token_endpoint":"https://a.example/token"}"#)
    #expect(throws: AgentError.self) { try DiscoveryDocument(document, issuer: issuer) }
  }

  @Test func `a client with a certificate is sent where one is expected`() throws {
    let text = #"""
      {"issuer":"https://i","token_endpoint":"https://i/token","revocation_endpoint":"https://i/revoke",
      "mtls_endpoint_aliases":{"token_endpoint":"https://mtls.i/token"}}
      """#
    let plain = try DiscoveryDocument(Secret(text), issuer: "https://i").metadata.endpoints
    let certified = try DiscoveryDocument(Secret(text), issuer: "https://i", usesCertificate: true).metadata
      .endpoints
    #expect(plain.token == "https://i/token")
    #expect(certified.token == "https://mtls.i/token")
    #expect(
      certified.revocation == "https://i/revoke", "an alias takes the place of one endpoint, not of all")
  }

  @Test func `a client's name and secret are form-encoded before base64`() throws {
    let folder = try TemporaryFolder()
    try folder.write("secret", "a:b &%ü\n", mode: 0o600)
    var provider = ProviderDefinition(name: ProviderName("p"), kind: .oauth2, clientID: "my client")
    provider.clientAuthentication = .secretBasic(.file(folder.path + "/secret"))
    let credentials = try ClientCredentials(provider, credentialsFolder: nil)
    let expected = Secret("my+client:a%3Ab+%26%25%C3%BC").base64
    #expect(try #require(credentials.authorization).text == "Basic " + expected.text)
    #expect(
      try credentials.form([("grant_type", .text("x"))], to: "https://a.example").text == "grant_type=x")
  }

  @Test func `a secret that others may read is refused`() throws {
    let folder = try TemporaryFolder()
    try folder.write("secret", "abc", mode: 0o644)
    var provider = ProviderDefinition(name: ProviderName("p"), kind: .oauth2, clientID: "c")
    provider.clientAuthentication = .secretPost(.file(folder.path + "/secret"))
    #expect(throws: AgentError.self) { try ClientCredentials(provider, credentialsFolder: nil) }
  }

  @Test func `a public client names itself in the form`() throws {
    let provider = ProviderDefinition(name: ProviderName("p"), kind: .oauth2, clientID: "c d")
    let credentials = try ClientCredentials(provider, credentialsFolder: nil)
    #expect(credentials.authorization == nil)
    #expect(
      try credentials.form([("refresh_token", .secret(Secret("r+/=")))], to: "https://a.example").text
        == "refresh_token=r%2B%2F%3D&client_id=c+d")
  }
}
