/// The signatures that are believed (RFC 7518 section 3.1): asymmetric ones only. A shared secret
/// (HS256) is none, or the public key, which everybody has, could be passed off as one; `none` is none.
public enum SigningAlgorithm: String, Hashable, Sendable, CaseIterable {
  case rs256 = "RS256"
  case rs384 = "RS384"
  case rs512 = "RS512"
  case ps256 = "PS256"
  case ps384 = "PS384"
  case ps512 = "PS512"
  case es256 = "ES256"
  case es384 = "ES384"
  case es512 = "ES512"
}
