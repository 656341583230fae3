import ControlProtocol

/// What the auth cache says of a session: the interface's `Provider` without what only the daemon knows.
struct SessionReport: Encodable {
  var provider: String
  var authState: String
  var user: Provider.User?
  var reason: String?
  var tokenExpires: Timestamp?
  var tokenGeneration: UInt64?
  var verified: Bool
  var spend: String
  var lastAttempt: RefreshAttempt?

  init(_ provider: Provider) {
    self.provider = provider.provider
    authState = provider.authState
    user = provider.user
    reason = provider.reason
    tokenExpires = provider.tokenExpires
    tokenGeneration = provider.tokenGeneration
    verified = provider.verified
    spend = provider.spend
    lastAttempt = provider.lastAttempt
  }

  private enum CodingKeys: String, CodingKey {
    case provider, user, reason, verified, spend
    case authState = "auth_state"
    case tokenExpires = "token_expires"
    case tokenGeneration = "token_generation"
    case lastAttempt = "last_attempt"
  }
}
