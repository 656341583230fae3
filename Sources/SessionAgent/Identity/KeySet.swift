/// The keys of a provider (RFC 7517 section 5). Those that can't be used are passed over.
struct KeySet {
  /// No provider has more; each costs a try if tokens don't say which they were signed with.
  static let limit = 64

  let keys: [JSONWebKey]

  /// Nil unless it is an object with an array `keys`.
  init?(_ text: Secret) {
    guard let object = JSONObject.parse(text), object.isArray("keys") else { return nil }
    keys = object.objects("keys").prefix(Self.limit).compactMap { JSONWebKey($0) }
  }

  /// Of a token's signature.
  enum Judgement: Hashable {
    case signed
    /// One of the keys should have made the signature, and none has.
    case forged
    /// None of these keys could have.
    case unknownKey
  }

  func judgement(on token: IDToken) -> Judgement {
    let candidates = keys.filter { key in
      key.fits(token.algorithm) && (token.keyID.map { $0 == key.id } ?? true)
    }
    if candidates.isEmpty { return .unknownKey }
    return candidates.contains { $0.verifies(token.text) } ? .signed : .forged
  }
}
