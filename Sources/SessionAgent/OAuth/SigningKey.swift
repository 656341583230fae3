import CJOSE

/// A private key that signs JSON web tokens.
final class SigningKey {
  private let key: OpaquePointer
  private let algorithm: String
  private let id: String?

  /// Nil unless `jwk` is a private RSA or EC key (RFC 7518 section 6) that can sign.
  ///
  /// The algorithm is the key's own `alg`, else the one that goes with its type: RS256, ES256, ES384, ES512.
  init?(jwk text: Secret) {
    guard let object = JSONObject.parse(text), object.string("d") != nil else { return nil }
    let implied: String? =
      switch (object.string("kty"), object.string("crv")) {
      case ("RSA", _): "RS256"
      case ("EC", "P-256"): "ES256"
      case ("EC", "P-384"): "ES384"
      case ("EC", "P-521"): "ES512"
      default: nil
      }
    guard let implied else { return nil }
    let algorithm = object.string("alg") ?? implied
    // A curve has one algorithm; RSA keys have several.
    let fitting = implied == "RS256" ? ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"] : [implied]
    guard fitting.contains(algorithm) else { return nil }
    guard Self.isWhole(object) else { return nil }
    let imported = text.withPointer { bytes, count in
      bytes.withMemoryRebound(to: CChar.self, capacity: count) { cjose_jwk_import($0, count, nil) }
    }
    guard let imported else { return nil }
    (key, self.algorithm, id) = (imported, algorithm, object.string("kid"))
    // A public key in a private key's clothes shows only when it is used.
    guard sign(Secret("{}")) != nil else { return nil }
  }

  deinit { cjose_jwk_release(key) }

  /// Whether every member is there in its length (RFC 7518 section 6): cjose ends the process where one is
  /// missing.
  private static func isWhole(_ object: JSONObject) -> Bool {
    let lengths = ["P-256": 32, "P-384": 48, "P-521": 66]
    let length = object.string("crv").flatMap { lengths[$0] }
    let isEllipticCurve = object.string("kty") == "EC"
    let members = isEllipticCurve ? ["x", "y", "d"] : ["n", "e", "d", "p", "q", "dp", "dq", "qi"]
    return members.allSatisfy { name in
      guard let value = object.string(name).flatMap({ Secret.decodingBase64URL(Substring($0).utf8) }) else {
        return false
      }
      return isEllipticCurve ? value.count == length : value.count > 0
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
