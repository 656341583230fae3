// The reasons as people read them; programs get the names of the cases.

extension UnauthenticatedReason {
  public var words: String {
    switch self {
    case .neverLoggedIn: "nobody has logged in yet"
    case .loggedOut: "logged out"
    case .rejected: "the server ended the session"
    case .lostRotation: "a rotated token was lost"
    }
  }
}

extension NotReadyReason {
  public var words: String {
    switch self {
    case .noSnapshot: "nothing published yet in this boot"
    case .unknownVersion: "written by another version"
    case .damagedSnapshot: "the auth cache is damaged"
    case .unreadableStore: "the session store can't be read"
    case .unreadableSnapshot: "not permitted: its readers are the group nightlatch"
    }
  }
}

extension AttemptClass {
  public var words: String {
    switch self {
    case .success, .transient, .ambiguous, .definite, .configuration: name
    case .clockSuspect: "success, clock suspect"
    case .lostRotation: "rotation lost"
    case .spentToken: "success, spent token"
    case .rejectedUnknown: "rejected, reason unknown"
    }
  }
}
