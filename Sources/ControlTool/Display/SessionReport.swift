import ControlProtocol

/// What the auth cache says of a session: the interface's `Provider` without what only the daemon knows.
struct SessionReport: Encodable {
  var provider: String
  var authState: String
  var user: Provider.User?
  var reason: String?
  var since: Timestamp?
  var tokenExpires: Timestamp?
  var sessionEnds: Timestamp?
  var tokenGeneration: UInt64?
  var verified: Bool
  var spend: String
  var lastAttempt: RefreshAttempt?
  /// Oldest first; nil when nobody asked for them.
  var attempts: [Attempt]?
  /// What the daemon says; nil when it was not asked or does not answer.
  var phase: Provider.Phase?
  var nextPhase: Timestamp?
  var deferred: Int?
  var blocked: String?

  struct Attempt: Encodable {
    var ended: Timestamp
    var outcome: String
    var failures: Int
    var detail: String
  }

  init(_ provider: Provider) {
    self.provider = provider.provider
    authState = provider.authState
    user = provider.user
    reason = provider.reason
    since = provider.since
    tokenExpires = provider.tokenExpires
    sessionEnds = provider.sessionEnds
    tokenGeneration = provider.tokenGeneration
    verified = provider.verified
    spend = provider.spend
    lastAttempt = provider.lastAttempt
  }

  private enum CodingKeys: String, CodingKey {
    case provider, user, reason, since, verified, spend, attempts, phase, deferred, blocked
    case authState = "auth_state"
    case tokenExpires = "token_expires"
    case tokenGeneration = "token_generation"
    case sessionEnds = "session_ends"
    case lastAttempt = "last_attempt"
    case nextPhase = "next_phase"
  }
}
