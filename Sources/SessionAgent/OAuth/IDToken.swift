import AuthModel
import Scheduling

/// The claims of an ID token that came straight from the token endpoint over TLS, where the
/// signature may be skipped (OpenID Connect Core section 3.1.3.7, point 6).
struct IDToken: Hashable {
  var issuer: String
  var subject: String
  /// A name for people.
  var name: String?
  var audience: [String]
  var authorizedParty: String?
  var expires: WallTime

  enum Rejection: Error, Hashable, CustomStringConvertible {
    case malformed
    case unsigned
    case issuer(String)
    case audience
    case expired
    /// On a refresh: another person than the session's.
    case subject

    var description: String {
      switch self {
      case .malformed: "the ID token can't be read"
      case .unsigned: "the ID token says that it is not signed"
      case .issuer(let issuer): "the ID token was issued by \(HTTPClient.printable(issuer))"
      case .audience: "the ID token was issued to another client"
      case .subject: "the ID token names another person"
      case .expired: "the ID token has expired already: one of the two clocks is wrong"
      }
    }
  }

  init(_ token: Secret) throws(Rejection) {
    let text = token.withBytes { String(decoding: $0, as: UTF8.self) }
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3,
      let header = Secret.decodingBase64URL(parts[0].utf8).flatMap(JSONObject.parse),
      let claims = Secret.decodingBase64URL(parts[1].utf8).flatMap(JSONObject.parse),
      let algorithm = header.string("alg"), let issuer = claims.string("iss"),
      let subject = claims.string("sub"), let expires = claims.seconds("exp")
    else { throw .malformed }
    guard algorithm.lowercased() != "none", !parts[2].isEmpty else { throw .unsigned }
    self.issuer = issuer
    self.subject = subject
    name = claims.string("name") ?? claims.string("preferred_username") ?? claims.string("email")
    audience = claims.strings("aud")
    authorizedParty = claims.string("azp")
    self.expires = WallTime(microseconds: 0) + expires
  }

  /// - Parameter serverNow: our wall clock, corrected by the server's.
  func check(issuer: String?, clientID: String, serverNow: WallTime) throws(Rejection) {
    if let issuer, issuer != self.issuer { throw .issuer(self.issuer) }
    guard audience.contains(clientID), authorizedParty == nil || authorizedParty == clientID,
      audience.count == 1 || authorizedParty != nil
    else { throw .audience }
    guard serverNow - .seconds(300) < expires else { throw .expired }
  }

  var user: User { User(id: subject, name: name) }
}
