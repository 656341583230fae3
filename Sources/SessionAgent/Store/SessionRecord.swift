import AuthModel
import Scheduling

/// A session, with its secrets, as the store holds it.
struct SessionRecord {
  /// The access token's number; grows with each token obtained, over logins and logouts too.
  var generation: UInt64
  var accessToken: Secret
  /// Nil if the server gave none: the session ends with the access token.
  var refreshToken: Secret?
  /// When the request that brought the access token was sent.
  var obtained: Moment
  /// Nil if the server did not say.
  var lifetime: Duration?
  /// How far the server's clock is ahead of ours.
  var skew: Duration = .zero
  /// Whether the answer could be believed; false if a clock is suspect.
  var isVerified = true
  var scope: String?
  /// The issuer of the ID token; nil if there was none.
  var issuer: String?
  var user: User
  /// When the person last proved who they are, if the provider said so (the `auth_time` claim).
  var authTime: WallTime?
  /// Privy's own access token; nil elsewhere.
  var providerToken: Secret?
  /// How long the refresh token lives from ``obtained``; nil if nobody said.
  var refreshLifetime: Duration?
  /// The refresh token had been spent before the server handed it out.
  var isRefreshTokenSpent = false
}

/// Why there is no session any more.
struct Tombstone: Hashable, Sendable {
  var generation: UInt64
  var reason: UnauthenticatedReason
  var ended: Moment
  /// The refresh token that died; nil if there was none.
  var token: TokenHash?
}

/// What the store of one provider holds.
enum StoredSession {
  /// Nobody has logged in here.
  case missing
  case present(SessionRecord)
  case ended(Tombstone)
  case unreadable(UnreadableReason)

  var generation: UInt64 {
    switch self {
    case .missing, .unreadable: 0
    case .present(let record): record.generation
    case .ended(let tombstone): tombstone.generation
    }
  }
}

extension SessionRecord {
  /// The part that is published. `verifiedIn` is the boot that obtained the token: a server
  /// confirmed the session then, and nobody has since.
  var published: Snapshot.Present {
    Snapshot.Present(
      user: user, tokenGeneration: generation, obtained: obtained, lifetime: lifetime, skew: skew,
      verifiedIn: isVerified ? obtained.bootID : nil, refreshLifetime: refreshLifetime)
  }
}
