import AuthModel
import CJOSE

/// A client's private key, which signs its assertions (RFC 7523).
final class ClientKey {
  private let key: OpaquePointer
  private let algorithm: String
  private let id: String?

  /// Nil unless `jwk` is a private RSA or EC key (RFC 7518 section 6) that can sign.
  ///
  /// The algorithm is the key's own `alg`, else the one that goes with its type: RS256, ES256, ES384, ES512.
  init?(jwk text: Secret) {
    guard let object = JSONObject.parse(text), let type = JSONWebKey.KeyType(object),
      let implied = SigningAlgorithm.allCases.first(where: { $0.keyType == type }),
      let algorithm = SigningAlgorithm(rawValue: object.string("alg") ?? implied.rawValue),
      algorithm.keyType == type, Self.isWhole(object, type)
    else { return nil }
    let imported = text.withPointer { bytes, count in
      bytes.withMemoryRebound(to: CChar.self, capacity: count) { cjose_jwk_import($0, count, nil) }
    }
    guard let imported else { return nil }
    (key, self.algorithm, id) = (imported, algorithm.rawValue, object.string("kid"))
    // A public key in a private key's clothes shows only when it is used.
    guard sign(Secret("{}")) != nil else { return nil }
  }

  deinit { cjose_jwk_release(key) }

  /// Whether every member is there in its length (RFC 7518 section 6): cjose ends the process where one is
  /// missing.
  private static func isWhole(_ object: JSONObject, _ type: JSONWebKey.KeyType) -> Bool {
    func length(_ name: String) -> Int {
      object.string(name).flatMap { Secret.decodingBase64URL(Substring($0).utf8)?.count } ?? 0
    }
    return switch type {
    case .rsa: ["n", "e", "d", "p", "q", "dp", "dq", "qi"].allSatisfy { length($0) > 0 }
    case .elliptic: ["x", "y", "d"].allSatisfy { length($0) == type.coordinateLength }
    }
  }

  /// A signed token in compact form (RFC 7515 section 7.1); nil if the library refuses.
  func sign(_ claims: Secret) -> Secret? {
    guard let header = cjose_header_new(nil) else { return nil }
    defer { cjose_header_release(header) }
    guard cjose_header_set(header, "alg", algorithm, nil), cjose_header_set(header, "typ", "JWT", nil)
    else { return nil }
    if let id, !cjose_header_set(header, "kid", id, nil) { return nil }
    let signed = claims.withPointer { cjose_jws_sign(key, header, $0, $1, nil) }
    guard let signed else { return nil }
    defer { cjose_jws_release(signed) }
    var text: UnsafePointer<CChar>?
    guard cjose_jws_export(signed, &text, nil), let text else { return nil }
    return Secret(String(cString: text))
  }
}
