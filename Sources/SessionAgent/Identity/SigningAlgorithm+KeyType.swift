import AuthModel

extension SigningAlgorithm {
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
