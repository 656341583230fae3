/// Proof Key for Code Exchange (RFC 7636): whoever redeems a code must be who asked for it.
struct ProofKey {
  /// 43 unreserved characters (section 4.1). Never leaves this process but for the token endpoint.
  let verifier: Secret
  /// For the URL: the verifier's SHA-256 in base64url (section 4.2, method S256).
  let challenge: String

  init() { self.init(verifier: Secret.random(count: 32).base64URL) }

  init(verifier: Secret) {
    self.verifier = verifier
    let digest = TokenHash(of: verifier).bytes.withUnsafeBytes { Secret($0) }
    challenge = digest.base64URL.withBytes { String(decoding: $0, as: UTF8.self) }
  }
}
