import AuthModel
import Scheduling

@testable import SessionAgent

/// What anybody on the machine can send to a login that waits, and what a provider can say of identities.
extension Harness {
  static let login = [loopbackRequest, authorizationResponse, loopbackRedirect, idToken, keySet]

  private static let loopbackRequest = Harness("loopback-request") { bytes in
    let whole = bytes.withUnsafeBytes { Secret($0) }
    guard case .query(let query) = LoopbackRequest(whole, path: "/callback") else { return }
    try expect(query.count < whole.count, "a query is a part of its request")
    try expect(query.withBytes { $0.allSatisfy { $0 > 0x20 && $0 < 0x7f } }, "a query is visible")
    guard bytes.count <= LoopbackRequest.headLimit else { return }
    // However the bytes arrive: what is complete was incomplete, never refused, before.
    for length in stride(from: 0, to: bytes.count, by: max(1, bytes.count / 16)) {
      let part = bytes.prefix(length).withUnsafeBytes { Secret($0) }
      switch LoopbackRequest(part, path: "/callback") {
      case .incomplete: break
      case .query(let early): try expect(early.equals(query), "a request is what its first line says")
      case .refused: throw Violation(description: "a beginning of a good request was refused")
      }
    }
  }

  private static let authorizationResponse = Harness("authorization-response") { bytes in
    let query = bytes.withUnsafeBytes { Secret($0) }
    for issuer in ["https://issuer.example", nil] {
      let expected = AuthorizationResponse.Expectation(
        state: Secret("expected"), issuer: issuer, namesIssuer: issuer != nil)
      let response = AuthorizationResponse(query, expected: expected)
      let state = bytes.withUnsafeBytes { QueryParameters($0) }?.text("state")
      try expect(state == "expected" || response.answer == nil, "without our state there is no answer")
      if case .code(let code) = response { try expect(code.isVisibleASCII, "a code can be sent") }
      guard case .refused(let reason) = response else { continue }
      try expect(reason.unicodeScalars.allSatisfy { $0.value > 0x1f }, "fit for a terminal")
    }
  }

  private static let loopbackRedirect = Harness("loopback-redirect") { bytes in
    guard var redirect = LoopbackRedirect(String(input: bytes)) else { return }
    let uri = redirect.uri(port: redirect.port ?? 1)
    try expect(ProviderDefinition.isLoopback(url: uri), "it is on this machine: \(uri)")
    redirect.port = redirect.port ?? 1
    try expect(LoopbackRedirect(uri), equals: redirect, "it reads back")
  }

  /// Between a good header and a signature, and as it is.
  private static let idToken = Harness("id-token") { bytes in
    _ = try? IDToken(bytes.withUnsafeBytes { Secret($0) })
    let claims = bytes.withUnsafeBytes { Secret($0) }.base64URL.withBytes {
      String(decoding: $0, as: UTF8.self)
    }
    guard let token = try? IDToken(Secret("eyJhbGciOiJFUzI1NiJ9.\(claims).c2ln")) else { return }
    try expect(!token.issuer.isEmpty && !token.user.id.isEmpty, "a token says whose it is")
    try? token.checkTime(serverNow: WallTime(seconds: 0))
    let isAccepted = (try? token.checkIdentity(.init(issuer: nil, clientID: "nightlatch"))) != nil
    try expect(!isAccepted || token.audience.contains("nightlatch"), "a token for another client is refused")
    try expect(standardKeys?.judgement(on: token) != .signed, "nobody without the key makes a signature")
  }

  /// The key of RFC 7515 appendix A.3.
  private static var standardKeys: KeySet? {
    KeySet(
      Secret(
        #"{"keys":[{"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","#
          + #""y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}]}"#))
  }

  private static let keySet = Harness("key-set") { bytes in
    guard let keys = KeySet(bytes.withUnsafeBytes { Secret($0) }) else { return }
    try expect(keys.keys.count <= KeySet.limit, "a bounded number of keys")
    for key in keys.keys {
      _ = key.verifies(Secret("eyJhbGciOiJFUzI1NiJ9.e30.c2ln"))
      _ = key.verifies(Secret("eyJhbGciOiJSUzI1NiJ9.e30.c2ln"))
    }
  }
}
