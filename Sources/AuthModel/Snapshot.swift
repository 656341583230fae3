public import Scheduling

/// What the foreground agent publishes about one session: everything the gate needs, and no secret.
///
/// Shape on disk: ``SnapshotEncoding``. Written by the agent only.
public struct Snapshot: Hashable, Sendable {
  /// Grows by one with each publication; never reused.
  public var generation: UInt64
  /// When it was published.
  public var published: Moment
  public var session: Session
  /// What the last refresh attempt meant, if there was one.
  public var lastAttempt: Attempt?
  /// Whether a refresh token has been sent and its fate is unknown.
  public var spend: Spend

  public init(
    generation: UInt64, published: Moment, session: Session, lastAttempt: Attempt? = nil,
    spend: Spend = .settled
  ) {
    self.generation = generation
    self.published = published
    self.session = session
    self.lastAttempt = lastAttempt
    self.spend = spend
  }

  public enum Session: Hashable, Sendable {
    case present(Present)
    case absent(UnauthenticatedReason)
    case unreadable
  }

  public struct Present: Hashable, Sendable {
    public var user: User
    /// The access token's number; grows with each token obtained. 0: there is no access token.
    public var tokenGeneration: UInt64
    /// When the request that brought the access token was *sent*: the safe side for its expiry.
    public var obtained: Moment
    /// How long the access token lives from ``obtained``; nil when the server did not say.
    public var lifetime: Duration?
    /// How far the server's clock is ahead of ours, from its `Date` header.
    public var skew: Duration
    /// The boot in which a server last confirmed the session; nil if none did since it was stored.
    public var verifiedIn: BootID?
    /// How long the refresh token lives from ``obtained``, in whole seconds; nil when nobody said.
    public var refreshLifetime: Duration?

    public init(
      user: User, tokenGeneration: UInt64, obtained: Moment, lifetime: Duration?,
      skew: Duration = .zero, verifiedIn: BootID? = nil, refreshLifetime: Duration? = nil
    ) {
      self.user = user
      self.tokenGeneration = tokenGeneration
      self.obtained = obtained
      self.lifetime = lifetime
      self.skew = skew
      self.verifiedIn = verifiedIn
      self.refreshLifetime = refreshLifetime
    }
  }

  public enum Spend: UInt8, Hashable, Sendable, CaseIterable {
    /// No refresh token is on its way.
    case settled = 0
    /// A refresh token is being sent right now.
    case open = 1
    /// A refresh token was sent and nobody knows what became of it.
    case ambiguous = 2
  }

  /// One refresh attempt and what it meant.
  public struct Attempt: Hashable, Sendable {
    public var outcome: AttemptClass
    public var ended: Moment
    /// The server's `Retry-After`, or the agent's own floor, counted from ``ended``.
    public var retryAfter: Duration?
    /// How many attempts in a row have failed, this one included. 0 after a success.
    public var failures: UInt32
    /// One sentence for people, without secrets.
    public var detail: String

    public init(
      outcome: AttemptClass, ended: Moment, retryAfter: Duration? = nil, failures: UInt32,
      detail: String
    ) {
      self.outcome = outcome
      self.ended = ended
      self.retryAfter = retryAfter
      self.failures = failures
      self.detail = detail
    }
  }
}

/// What a refresh attempt meant. See the verdict table in the manual page `nightlatch-foreground(8)`.
public enum AttemptClass: UInt8, Hashable, Sendable, CaseIterable {
  case success = 0
  /// A new access token that is already expired: a clock is wrong.
  case clockSuspect = 1
  /// The token was not spent; try again later.
  case transient = 2
  /// Nobody knows whether the token was spent.
  case ambiguous = 3
  /// The session is over.
  case definite = 4
  /// The session is over, and the reason is an answer that never reached us.
  case lostRotation = 5
  /// The server refused in a way nobody understands.
  case rejectedUnknown = 6
  /// The provider file is wrong, not the session.
  case configuration = 7
  /// A success, but the refresh token that came with it was spent before: the next attempt will probably be
  /// refused.
  case spentToken = 8

  /// Whether the session was verified.
  public var isSuccess: Bool { self == .success || self == .spentToken }

  /// The name as users meet it in the journal and in `--json`.
  public var name: String { "\(self)" }
}
