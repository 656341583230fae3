import AuthModel
import Scheduling
import Testing

@testable import SessionAgent

@Suite struct CodeFlowTests {
  /// RFC 7636 appendix B.
  @Test func `the proof key of the standard's example`() {
    let proof = ProofKey(verifier: Secret("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"))
    #expect(proof.challenge == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
  }

  @Test func `a verifier is long enough, and each is another`() {
    let verifiers = (0..<8).map { _ in ProofKey().verifier.text }
    #expect(Set(verifiers).count == 8)
    // RFC 7636 section 4.1: 43 to 128 unreserved characters.
    for verifier in verifiers {
      #expect(
        verifier.count == 43
          && verifier.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0)) })
    }
  }

  private func provider(scopes: [String]) -> ProviderDefinition {
    var provider = ProviderDefinition(name: ProviderName("work"), kind: .oauth2, clientID: "c & d")
    provider.scopes = scopes
    return provider
  }

  @Test func `a request asks for what is needed and keeps the endpoint's own query`() throws {
    let request = AuthorizationRequest(
      provider(scopes: ["openid", "offline_access"]), redirectURI: "http://127.0.0.1:9/cb")
    let url = request.url(at: "https://a.example/authorize?tenant=1")
    #expect(
      url.hasPrefix(
        "https://a.example/authorize?tenant=1&response_type=code&client_id=c+%26+d&redirect_uri=http%3A%2F%2F127.0.0.1%3A9%2Fcb&state="
      ))
    #expect(url.contains("&code_challenge=\(request.proof.challenge)&code_challenge_method=S256"))
    #expect(url.contains("&nonce=\(try #require(request.nonce).text)&prompt=consent"))
    #expect(url.contains("&state=\(request.state.text)&"))
    #expect(!url.contains(request.proof.verifier.text))
  }

  @Test func `only OpenID Connect has a nonce`() {
    let request = AuthorizationRequest(provider(scopes: ["mail"]), redirectURI: "http://127.0.0.1:9/cb")
    let url = request.url(at: "https://a.example/authorize")
    #expect(url.hasPrefix("https://a.example/authorize?response_type=code"))
    #expect(request.nonce == nil && !url.contains("nonce") && !url.contains("prompt"))
  }

  private func meaning(_ query: String, issuer: String? = "https://i", namesIssuer: Bool = true) -> String {
    let expected = AuthorizationResponse.Expectation(
      state: Secret("st-1"), issuer: issuer, namesIssuer: namesIssuer)
    return switch AuthorizationResponse(Secret(query), expected: expected) {
    case .stranger: "stranger"
    case .code(let code): "code \(code.text)"
    case .refused(let reason): reason
    }
  }

  static let responses = [
    ("code=c-1&state=st-1&iss=https%3A%2F%2Fi", "code c-1"),
    ("state=st-1&iss=https://i&code=a%2Bb", "code a+b"),
    ("", "stranger"), ("code=c-1", "stranger"), ("code=c-1&state=st-2&iss=https://i", "stranger"),
    ("code=c-1&state=", "stranger"), ("code=c-1&state=st-1x&iss=https://i", "stranger"),
    ("code=c-1&code=c-2&state=st-1&iss=https://i", "stranger"),
    ("code=%4&state=st-1&iss=https://i", "stranger"),
    ("error=access_denied&state=st-2", "stranger"), ("code=c-1&state=st-1&%zz=1", "stranger"),
    ("code=c-1&state=st-1&iss=https://j", "the answer comes from another issuer, https://j"),
    (
      "code=c-1&state=st-1",
      "the answer does not name its issuer, and the server has announced that it would"
    ),
    ("error=access_denied&state=st-1&iss=https://i", "it was denied"),
    ("error=access_denied&state=st-1&iss=https://j", "the answer comes from another issuer, https://j"),
    (
      "error=invalid_scope&error_description=no%0a%1b%5B2Jsuch&state=st-1&iss=https://i&code=c-1",
      "the server says invalid_scope: no[2Jsuch"
    ),
    ("state=st-1&iss=https://i", "the server sent the browser back without a code"),
    ("code=a+b&state=st-1&iss=https://i", "the server sent the browser back without a code"),
  ]

  @Test(arguments: responses) func `what an answer means`(query: String, meaning: String) {
    #expect(self.meaning(query) == meaning)
  }

  @Test func `a server that does not name itself need not, but must not name another`() {
    #expect(meaning("code=c-1&state=st-1", namesIssuer: false) == "code c-1")
    #expect(meaning("code=c-1&state=st-1&iss=https://j", namesIssuer: false).contains("another issuer"))
    #expect(meaning("code=c-1&state=st-1&iss=https://j", issuer: nil, namesIssuer: false) == "code c-1")
  }

  static let heads = [
    ("", "incomplete"), ("GET /cb?a=1 HTTP/1.1", "incomplete"),
    ("GET /cb?a=1 HTTP/1.1\r\nHost: x\r\n", "incomplete"),
    ("GET /cb?a=1 HTTP/1.1\r\nHost: x\r\n\r\n", "query a=1"), ("GET /cb HTTP/1.0\n\n", "query "),
    ("GET /cb?a=1?b HTTP/1.1\r\n\r\nPOST /x HTTP/1.1\r\n\r\n", "query a=1?b"),
    ("GET /cbx?a=1 HTTP/1.1\r\n\r\n", "404"), ("GET / HTTP/1.1\r\n\r\n", "404"),
    ("GET http://127.0.0.1/cb?a=1 HTTP/1.1\r\n\r\n", "404"), ("GET /favicon.ico HTTP/1.1\r\n\r\n", "404"),
    ("POST /cb?a=1 HTTP/1.1\r\n\r\n", "405"), ("get /cb HTTP/1.1\r\n\r\n", "405"),
    ("GET /cb?a=1\r\n\r\n", "400"), ("GET  /cb HTTP/1.1\r\n\r\n", "400"), ("GET /cb HTTP/2\r\n\r\n", "400"),
    ("GET /cb?\u{e9} HTTP/1.1\r\n\r\n", "400"), ("\r\n\r\n", "400"), ("\u{16}\u{3}\u{1}\n\n", "400"),
    (String(repeating: "x", count: 16 << 10), "431"),
    ("GET /cb?a=1 HTTP/1.1\r\n" + String(repeating: "X: y\r\n", count: 4096), "431"),
  ]

  @Test(arguments: heads) func `what a connection has sent`(head: String, meaning: String) {
    switch LoopbackRequest(Secret(head), path: "/cb") {
    case .incomplete: #expect(meaning == "incomplete")
    case .query(let query): #expect(meaning == "query \(query.text)")
    case .refused(let reply): #expect(reply.status.hasPrefix(meaning), "\(reply.status)")
    }
  }

  @Test func `a page says how long it is and lets nothing in`() throws {
    let text = String(decoding: LoopbackReply.welcome.bytes, as: UTF8.self)
    let parts = try #require(text.firstRange(of: "\r\n\r\n"))
    #expect(text.contains("Content-Length: \(text[parts.upperBound...].utf8.count)\r\n"))
    #expect(text.contains("default-src 'none'") && text.contains("no-store"))
  }
}
