import CJOSE

/// One public key of a provider (RFC 7517).
final class JSONWebKey {
  enum KeyType: Hashable {
    case rsa
    case elliptic(curve: String)
  }

  let id: String?
  let type: KeyType
  /// What it may be used for alone, if it says so.
  let algorithm: String?
  private let key: OpaquePointer

  /// Nil unless it is a key that can verify a signature: of a type we know, meant for signatures, and,
  /// if it is RSA, of 2048 bits or more (RFC 7518 section 3.3).
  init?(_ object: JSONObject) {
    guard let type = KeyType(object), object.string("use").map({ $0 == "sig" }) ?? true else { return nil }
    let imported = object.withText { text in
      cjose_jwk_import(
        UnsafeRawPointer(text.baseAddress)?.assumingMemoryBound(to: CChar.self), text.count, nil)
    }
    guard let key = imported else { return nil }
    self.key = key
    self.type = type
    id = object.string("kid")
    algorithm = object.string("alg")
  }

  deinit { cjose_jwk_release(key) }

  /// Whether it is made for `algorithm`: the key decides, not the token.
  func fits(_ algorithm: SigningAlgorithm) -> Bool {
    type == algorithm.keyType && (self.algorithm.map { $0 == algorithm.rawValue } ?? true)
  }

  /// Whether it made the signature of a token in compact form (RFC 7515 section 7.1). Only to be asked
  /// with a token whose algorithm ``fits(_:)``.
  func verifies(_ token: Secret) -> Bool {
    token.withBytes { bytes in
      let text = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
      guard let signed = cjose_jws_import(text, bytes.count, nil) else { return false }
      defer { cjose_jws_release(signed) }
      return cjose_jws_verify(signed, key, nil)
    }
  }
}

extension JSONWebKey.KeyType {
  fileprivate init?(_ object: JSONObject) {
    switch object.string("kty") {
    case "RSA":
      let modulus = object.string("n").flatMap { Secret.decodingBase64URL($0.utf8[...]) }
      guard let modulus, modulus.count >= 256, modulus.count <= 2048 else { return nil }
      self = .rsa
    case "EC":
      guard let curve = object.string("crv") else { return nil }
      self = .elliptic(curve: curve)
    default: return nil
    }
  }
}
