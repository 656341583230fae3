import AuthModel
import Scheduling

extension IDToken {
  /// What it has to say (OpenID Connect Core sections 3.1.3.7 and 12.2).
  struct Expectation {
    /// Nil: a provider without an issuer.
    var issuer: String?
    var clientID: String
    /// At a login: what we sent.
    var nonce: Secret?
    /// On a refresh: whose session it is.
    var subject: String?
  }

  enum Rejection: Error, Hashable, CustomStringConvertible {
    case malformed
    case unsigned
    /// Not one of ``SigningAlgorithm``, or with an extension that nobody here understands.
    case algorithm(String)
    /// A good one, but not the one that the provider file names.
    case otherAlgorithm(SigningAlgorithm, expected: SigningAlgorithm)
    case unknownKey
    case signature
    case keysUnavailable(String)
    case issuer(String)
    case audience
    case nonce
    /// On a refresh: another person than the session's.
    case subject
    case expired
    case future

    var description: String {
      switch self {
      case .malformed: "the ID token can't be read"
      case .unsigned: "the ID token says that it is not signed"
      case .algorithm(let name): "the ID token is signed in a way that is not accepted (\(name))"
      case .otherAlgorithm(let algorithm, let expected):
        "the ID token is signed with \(algorithm.rawValue), but id_token_signed_response_alg asks for \(expected.rawValue); correct that key or the client's registration"
      case .unknownKey: "the ID token is signed with a key that the provider does not publish"
      case .signature: "the signature of the ID token is wrong"
      case .keysUnavailable(let reason):
        "the ID token can't be verified without the provider's keys: \(reason)"
      case .issuer(let issuer): "the ID token was issued by \(HTTPClient.printable(issuer))"
      case .audience: "the ID token was issued to another client"
      case .nonce: "the ID token belongs to another login"
      case .subject: "the ID token names another person"
      case .expired: "the ID token has expired already: one of the two clocks is wrong"
      case .future: "the ID token comes from the future: one of the two clocks is wrong"
      }
    }
  }

  /// How far the clocks may be apart.
  static let leeway = Duration.seconds(300)

  func checkIdentity(_ expected: Expectation) throws(Rejection) {
    if let issuer = expected.issuer, issuer != self.issuer { throw .issuer(self.issuer) }
    guard audience.contains(expected.clientID), authorizedParty.map({ $0 == expected.clientID }) ?? true,
      audience.count == 1 || authorizedParty != nil
    else { throw .audience }
    if let subject = expected.subject, subject != user.id { throw .subject }
    if let nonce = expected.nonce {
      guard let ours = self.nonce, ours.equals(nonce) else { throw .nonce }
    }
  }

  /// - Parameter serverNow: our wall clock, corrected by the server's.
  func checkTime(serverNow: WallTime) throws(Rejection) {
    guard serverNow - Self.leeway < expires else { throw .expired }
    guard issued < serverNow + Self.leeway else { throw .future }
  }
}
