/// A provider and its session, as the control protocol tells it. Holds no secret.
public struct Provider: Codable, Hashable, Sendable {
  public var provider: String
  public var kind: String
  public var authState: String
  public var user: User?
  public var reason: String?
  public var since: Timestamp?
  public var tokenExpires: Timestamp?
  public var sessionEnds: Timestamp?
  public var tokenGeneration: UInt64?
  public var verified = false
  public var spend = "settled"
  public var lastAttempt: RefreshAttempt?
  public var phase: Phase = .idle
  public var nextPhase: Timestamp?
  public var deferred = 0
  public var blocked: String?

  public struct User: Codable, Hashable, Sendable {
    public var id: String
    public var name: String?
    public var email: String?
    public var username: String?
    public var linkedAccounts: [LinkedAccount] = []

    public init(id: String, name: String? = nil) {
      self.id = id
      self.name = name
    }

    private enum CodingKeys: String, CodingKey {
      case id, name, email, username
      case linkedAccounts = "linked_accounts"
    }
  }

  public struct LinkedAccount: Codable, Hashable, Sendable {
    public var kind: String
    public var identifier: String

    public init(kind: String, identifier: String) {
      self.kind = kind
      self.identifier = identifier
    }
  }

  /// What the provider's next foreground phase waits for.
  public enum Phase: String, Codable, Hashable, Sendable {
    case running
    case backingOff = "backing off"
    case parked
    case idle
  }

  private enum CodingKeys: String, CodingKey {
    case provider, kind, user, reason, since, verified, spend, phase, deferred, blocked
    case authState = "auth_state"
    case tokenExpires = "token_expires"
    case sessionEnds = "session_ends"
    case tokenGeneration = "token_generation"
    case lastAttempt = "last_attempt"
    case nextPhase = "next_phase"
  }
}
