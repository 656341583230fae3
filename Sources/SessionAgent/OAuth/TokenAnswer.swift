import AuthModel
import Scheduling

/// A token endpoint's success (RFC 6749 section 5.1).
struct TokenAnswer {
  var accessToken: Secret
  /// Nil if it was absent, null or empty: the old one stays good.
  var refreshToken: Secret?
  var isBearer: Bool
  /// Nil if the server did not say. Not positive: the token has expired already.
  var lifetime: Duration?
  /// Of the refresh token: `refresh_expires_in`, in no standard, but sent by Keycloak and others, whose 0
  /// means that it has no end. Nil if the server did not say.
  var refreshLifetime: Duration?
  var scope: String?
  var idToken: Secret?
  /// Nil if the answer does not say whose it is.
  var user: User?
  /// Privy's own access token, which goes along with the next refresh.
  var providerToken: Secret?

  init(accessToken: Secret, refreshToken: Secret? = nil, lifetime: Duration?) {
    self.accessToken = accessToken
    self.refreshToken = refreshToken
    isBearer = true
    self.lifetime = lifetime
  }

  /// Nil without an access token that can stand in a header.
  init?(_ object: JSONObject) {
    guard let accessToken = object.secret("access_token"), accessToken.isVisibleASCII else { return nil }
    self.accessToken = accessToken
    refreshToken = Self.refreshToken(object)
    // Missing though REQUIRED: seen in the wild, and always meant as bearer.
    isBearer = object.string("token_type").map { $0.lowercased() == "bearer" } ?? true
    lifetime = object.seconds("expires_in")
    refreshLifetime = object.seconds("refresh_expires_in").flatMap { $0 > .zero ? $0 : nil }
    scope = object.string("scope")
    idToken = object.secret("id_token")
  }

  /// Whatever it looks like: it goes back as it came, in a form, and the one before it may be spent.
  static func refreshToken(_ object: JSONObject) -> Secret? {
    object.secret("refresh_token") ?? object.text("refresh_token").map { Secret($0) }
  }

  /// Nil unless the response is a success with a token.
  init?(_ response: HTTPResponse) {
    guard (200...299).contains(response.status), let object = JSONObject.parseAnswer(response.body) else {
      return nil
    }
    self.init(object)
  }
}
