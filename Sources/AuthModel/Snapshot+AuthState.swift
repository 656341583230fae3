public import Scheduling

extension Snapshot {
  /// The auth state at `now`: DESIGN's rule, and the only implementation of it.
  public func authState(at now: Now, in bootID: BootID) -> AuthState {
    switch session {
    case .unreadable: return .notReady(.unreadableStore)
    case .absent(let reason): return .unauthenticated(reason)
    case .present(let present):
      let isVerified =
        present.verifiedIn == bootID && spend == .settled
        && present.tokenTimeLeft(at: now, in: bootID).map { $0 > .zero } ?? present.hasToken
      return isVerified ? .authenticated(present.user) : .authenticatedUnverified(present.user)
    }
  }
}

extension Snapshot.Present {
  public var hasToken: Bool { tokenGeneration > 0 }

  /// How long the access token is still valid; nil when it never expires as far as we know; zero
  /// when there is none.
  ///
  /// Within the boot that obtained it the boot clock decides, and the wall clock can't starve or
  /// prolong it. In another boot the wall clock decides, corrected by the server's skew.
  public func tokenTimeLeft(at now: Now, in bootID: BootID) -> Duration? {
    guard hasToken else { return .zero }
    guard let lifetime else { return nil }
    if bootID == obtained.bootID { return lifetime - (now.boot - obtained.boot) }
    return lifetime - (now.wall - obtained.wall)
  }
}
