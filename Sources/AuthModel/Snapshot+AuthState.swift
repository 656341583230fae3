public import Scheduling

extension Snapshot {
  /// The auth state at `now`.
  public func authState(at now: Now, in bootID: BootID) -> AuthState {
    authStateForecast(in: bootID).state(boot: now.boot, wall: now.wall)
  }

  /// The rule of the four states, and the only implementation of it.
  ///
  /// `.authenticated` takes all of: a session that a server confirmed in this boot, an access token
  /// that has time left, and no refresh token of unknown fate.
  public func authStateForecast(in bootID: BootID) -> AuthStateForecast {
    switch session {
    case .unreadable: AuthStateForecast(constant: .notReady(.unreadableStore))
    case .absent(let reason): AuthStateForecast(constant: .unauthenticated(reason))
    case .present(let present):
      AuthStateForecast(
        whileValid: .authenticated(present.user), otherwise: .authenticatedUnverified(present.user),
        validity: present.verifiedIn == bootID && spend == .settled
          ? present.tokenValidity(in: bootID) : .never)
    }
  }
}
