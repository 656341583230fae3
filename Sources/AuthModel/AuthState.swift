/// Names a provider: the file name of `providers.d/NAME.toml` without its ending.
public struct ProviderName: Hashable, Comparable, Sendable, CustomStringConvertible {
  public var description: String

  public init(_ description: String) { self.description = description }

  public static func < (left: ProviderName, right: ProviderName) -> Bool {
    left.description < right.description
  }
}

/// What background work may assume about a session, decided without any network.
///
/// Never stored: always computed from a ``Snapshot`` and the clocks.
public enum AuthState: Hashable, Sendable {
  /// Verified in this boot and the access token is valid.
  case authenticated(User)
  /// A session is in the store but nobody has confirmed it: probably logged in, verify later.
  case authenticatedUnverified(User)
  /// No session.
  case unauthenticated(UnauthenticatedReason)
  /// Nothing is known here yet, or the store can't be read. Never to be mistaken for "logged out".
  case notReady(NotReadyReason)

  /// The state's name as users meet it: in `NIGHTLATCH_AUTH_STATE`, the journal and `--json`.
  public var name: String {
    switch self {
    case .authenticated: "authenticated"
    case .authenticatedUnverified: "authenticatedUnverified"
    case .unauthenticated: "unauthenticated"
    case .notReady: "notReady"
    }
  }

  public var user: User? {
    switch self {
    case .authenticated(let user), .authenticatedUnverified(let user): user
    case .unauthenticated, .notReady: nil
    }
  }
}

/// Why there is no session.
public enum UnauthenticatedReason: UInt8, Hashable, Sendable, CaseIterable {
  /// Nobody has logged in yet.
  case neverLoggedIn = 0
  case loggedOut = 1
  /// The server said that the session is over.
  case rejected = 2
  /// The server rejected a token whose replacement never reached us.
  case lostRotation = 3
}

/// Why nothing is known.
public enum NotReadyReason: UInt8, Hashable, Sendable, CaseIterable {
  /// The agent has not published anything in this boot.
  case noSnapshot = 0
  /// The snapshot was written by another version.
  case unknownVersion = 1
  /// The snapshot is damaged.
  case damagedSnapshot = 2
  /// The session store exists but can't be read: no key, wrong key, damaged file, no permission.
  case unreadableStore = 3
  /// The snapshot exists but can't be opened here: usually no permission, because its reader is not
  /// in the group that may read it.
  case unreadableSnapshot = 4
}
