import AuthModel
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
    guard let type = KeyType(object), let text = Self.publicPart(object, type),
      object.string("use").map({ $0 == "sig" }) ?? true
    else { return nil }
    let imported = text.withCString { cjose_jwk_import($0, text.utf8.count, nil) }
    guard let key = imported else { return nil }
    self.key = key
    self.type = type
    id = object.string("kid")
    algorithm = object.string("alg")
  }

  deinit { cjose_jwk_release(key) }

  /// Just the members that a public key needs (RFC 7518 section 6), each in its length: cjose ends the process
  /// where one is missing.
  private static func publicPart(_ object: JSONObject, _ type: KeyType) -> String? {
    func number(_ name: String, _ lengths: ClosedRange<Int>) -> String? {
      guard let text = object.string(name), let bytes = Secret.decodingBase64URL(text.utf8[...]) else {
        return nil
      }
      return lengths ~= bytes.count ? text : nil
    }
    switch type {
    case .rsa:
      guard let modulus = number("n", 256...2048), let exponent = number("e", 1...8) else { return nil }
      return #"{"kty":"RSA","n":"\#(modulus)","e":"\#(exponent)"}"#
    case .elliptic(let curve):
      guard let length = type.coordinateLength, let x = number("x", length...length),
        let y = number("y", length...length)
      else { return nil }
      return #"{"kty":"EC","crv":"\#(curve)","x":"\#(x)","y":"\#(y)"}"#
    }
  }

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
  /// In bytes (RFC 7518 section 6.2); nil for a curve that we don't know.
  var coordinateLength: Int? {
    guard case .elliptic(let curve) = self else { return nil }
    return ["P-256": 32, "P-384": 48, "P-521": 66][curve]
  }

  init?(_ object: JSONObject) {
    switch object.string("kty") {
    case "RSA": self = .rsa
    case "EC":
      guard let curve = object.string("crv") else { return nil }
      self = .elliptic(curve: curve)
    default: return nil
    }
  }
}
