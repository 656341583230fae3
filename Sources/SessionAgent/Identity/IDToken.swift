import AuthModel
import Scheduling

/// An ID token (OpenID Connect Core section 2), read but not yet believed.
struct IDToken {
  /// In compact form.
  let text: Secret
  let algorithm: SigningAlgorithm
  /// Which key signed it; nil: the only one that could have.
  let keyID: String?
  let issuer: String
  let user: User
  let audience: [String]
  let authorizedParty: String?
  let issued: WallTime
  let expires: WallTime
  let nonce: Secret?
  /// When the person last proved who they are.
  let authTime: WallTime?

  /// - Parameter expected: the only algorithm that this client's ID tokens are signed with; nil: each that is known.
  init(_ text: Secret, signedWith expected: SigningAlgorithm? = nil) throws(Rejection) {
    let whole = text.withBytes { String(decoding: $0, as: UTF8.self) }
    let parts = whole.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3,
      let header = Secret.decodingBase64URL(parts[0].utf8).flatMap(JSONObject.parse),
      let claims = Secret.decodingBase64URL(parts[1].utf8).flatMap(JSONObject.parse),
      let name = header.string("alg"), let issuer = claims.string("iss"), let subject = claims.string("sub"),
      let expires = claims.seconds("exp"), let issued = claims.seconds("iat")
    else { throw .malformed }
    guard name.lowercased() != "none", !parts[2].isEmpty else { throw .unsigned }
    // An extension that must be understood (RFC 7515 section 4.1.11) is one that we don't.
    guard let algorithm = SigningAlgorithm(rawValue: name), !header.has("crit") else {
      throw .algorithm(HTTPClient.printable(name))
    }
    if let expected, algorithm != expected { throw .otherAlgorithm(algorithm, expected: expected) }
    self.text = text
    self.algorithm = algorithm
    self.issuer = issuer
    self.issued = WallTime(microseconds: 0) + issued
    self.expires = WallTime(microseconds: 0) + expires
    keyID = header.string("kid")
    user = User(subject: subject, claims)
    audience = claims.strings("aud")
    authorizedParty = claims.string("azp")
    nonce = claims.secret("nonce")
    authTime = claims.seconds("auth_time").map { WallTime(microseconds: 0) + $0 }
  }
}

extension User {
  /// The claims that are for people (OpenID Connect Core section 5.1).
  init(subject: String, _ claims: JSONObject) {
    let (username, email) = (claims.string("preferred_username"), claims.string("email"))
    self.init(
      id: subject, name: claims.string("name") ?? username ?? email, email: email, username: username)
  }
}
