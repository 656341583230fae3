public import AuthModel

/// The gate: what a due may do, given the cached auth state. Pure, and the only implementation of the
/// table in nightlatch-job(5), "THE GATE".
public enum Gate {
  public enum Decision: Hashable, Sendable {
    case run
    /// To the foreground queue.
    case `defer`(Reason)
    /// A verdict.
    case skip(Reason)
  }

  /// - Parameters:
  ///   - timeLeft: how long the access token is still valid; nil when it never expires.
  ///   - isParked: whether the job's service has refused this token, and the one before.
  ///   - isFresh: whether the token was obtained after the run was deferred. Such a token counts even
  ///     if the provider's tokens never live as long as `min_token_lifetime`: deferral must not loop.
  public static func decide(
    _ policy: AuthPolicy, state: AuthState, timeLeft: Duration?, isParked: Bool, isFresh: Bool
  ) -> Decision {
    switch (policy.requires, state) {
    case (.none, _), (.session, .authenticated), (.session, .authenticatedUnverified):
      return .run
    case (.verified, .authenticated) where isParked:
      return .defer(.tokenRefusedAgain)
    case (.verified, .authenticated):
      let isLongEnough = timeLeft.map { $0 >= policy.minTokenLifetime } ?? true
      return isLongEnough || isFresh ? .run : .defer(.tokenTooShort)
    case (.verified, .authenticatedUnverified):
      return .defer(.unverified)
    case (_, .unauthenticated):
      return closed(policy.onUnauthenticated, .unauthenticated)
    case (_, .notReady):
      return closed(policy.onNotReady, .notReady)
    }
  }

  private static func closed(_ policy: AuthPolicy.ClosedPolicy, _ reason: Reason) -> Decision {
    policy == .defer ? .defer(reason) : .skip(reason)
  }
}
