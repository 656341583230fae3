public import Scheduling

extension Snapshot {
  /// The auth state at `now`: the rule, and the only implementation of it.
  ///
  /// `.authenticated` takes all of: a session that a server confirmed in this boot, an access token
  /// that has time left, and no refresh token of unknown fate.
  public func authState(at now: Now, in bootID: BootID) -> AuthState {
    switch session {
    case .unreadable: .notReady(.unreadableStore)
    case .absent(let reason): .unauthenticated(reason)
    case .present(let present):
      present.isVerified(at: now, in: bootID) && spend == .settled
        ? .authenticated(present.user) : .authenticatedUnverified(present.user)
    }
  }
}

extension Snapshot.Present {
  public var hasToken: Bool { tokenGeneration > 0 }

  /// Whether a server confirmed the session in this boot and the access token is still valid.
  func isVerified(at now: Now, in bootID: BootID) -> Bool {
    guard verifiedIn == bootID, hasToken else { return false }
    guard let timeLeft = tokenTimeLeft(at: now, in: bootID) else { return true }
    return timeLeft > .zero
  }

  /// How long the access token is still valid, from zero to ``lifetime``; nil when it never expires
  /// as far as we know; zero when there is none, or when its age can't be told.
  public func tokenTimeLeft(at now: Now, in bootID: BootID) -> Duration? {
    guard hasToken else { return .zero }
    guard let lifetime else { return nil }
    guard let age = tokenAge(at: now, in: bootID) else { return .zero }
    return max(.zero, lifetime - age)
  }

  /// How old the access token is, at least zero; nil when the clocks can't tell.
  ///
  /// Within the boot that obtained it the boot clock decides, and no step of the wall clock can
  /// starve or prolong it. In any other boot the wall clock decides, on the safe side of two readings:
  /// our clock as it was, and our clock as the server corrected it then, which is right if it was
  /// wrong and has been set since. A wall clock before the moment the token was obtained has been set
  /// back and tells nothing; and a token from an earlier boot is at least as old as this boot.
  func tokenAge(at now: Now, in bootID: BootID) -> Duration? {
    if bootID == obtained.bootID { return max(.zero, now.boot - obtained.boot) }
    let byWall = max(now.wall - obtained.wall, now.wall - (obtained.wall + skew))
    guard byWall >= .zero else { return nil }
    return max(byWall, now.boot - Instant(microseconds: 0))
  }
}
