import AuthModel

/// What a browser is sent to ask for (RFC 6749 section 4.1.1, RFC 7636 section 4.3), and what tells
/// that an answer is the answer to it.
struct AuthorizationRequest {
  let proof = ProofKey()
  let state = Secret.random(count: 24).base64URL
  /// For the ID token; nil if none is asked for.
  let nonce: Secret?
  let redirectURI: String
  private let clientID: String
  private let scopes: [String]

  init(_ provider: ProviderDefinition, redirectURI: String) {
    self.redirectURI = redirectURI
    clientID = provider.clientID
    scopes = provider.scopes
    nonce = scopes.contains("openid") ? Secret.random(count: 24).base64URL : nil
  }

  /// - Parameter endpoint: may have a query of its own, which is kept (RFC 6749 section 3.1).
  func url(at endpoint: String) -> String {
    let query = Secret(capacity: 2 << 10)
    for (name, value) in parameters {
      query.append(query.count > 0 || endpoint.contains("?") ? UInt8(ascii: "&") : UInt8(ascii: "?"))
      query.appendFormEncoded(name)
      query.append(UInt8(ascii: "="))
      query.appendFormEncoded(value)
    }
    return endpoint + query.text
  }

  private var parameters: [(String, String)] {
    var parameters = [
      ("response_type", "code"), ("client_id", clientID), ("redirect_uri", redirectURI),
      ("state", state.text), ("code_challenge", proof.challenge), ("code_challenge_method", "S256"),
    ]
    if !scopes.isEmpty { parameters.append(("scope", scopes.joined(separator: " "))) }
    if let nonce { parameters.append(("nonce", nonce.text)) }
    // Or the scope may be ignored (OpenID Connect Core section 11).
    if scopes.contains("offline_access") { parameters.append(("prompt", "consent")) }
    return parameters
  }
}

extension Secret {
  /// For what is to be shown, like a URL: leaves copies behind.
  fileprivate var text: String { withBytes { String(decoding: $0, as: UTF8.self) } }
}
