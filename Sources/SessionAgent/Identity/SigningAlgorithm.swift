/// The signatures that are believed (RFC 7518 section 3.1): asymmetric ones only. A shared secret
/// (HS256) is none, or the public key, which everybody has, could be passed off as one; `none` is none.
enum SigningAlgorithm: String, Hashable, CaseIterable {
  case rs256 = "RS256"
  case rs384 = "RS384"
  case rs512 = "RS512"
  case ps256 = "PS256"
  case ps384 = "PS384"
  case ps512 = "PS512"
  case es256 = "ES256"
  case es384 = "ES384"
  case es512 = "ES512"

  /// The kind of key that it takes.
  var keyType: JSONWebKey.KeyType {
    switch self {
    case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512: .rsa
    case .es256: .elliptic(curve: "P-256")
    case .es384: .elliptic(curve: "P-384")
    case .es512: .elliptic(curve: "P-521")
    }
  }
}
