import AuthModel
import Scheduling

/// What to do next with a refresh token, given everything that was done with it before.
enum RecoveryPlan: Hashable, Sendable {
  case send(Spend.Purpose)
  /// Ask the server whether the token is still good, which does not spend it.
  case introspect
  /// Nothing for now.
  case wait(Duration)
  /// Nothing ever again, until somebody logs in.
  case park(ParkReason)

  /// How often a token is sent again inside the reuse window.
  static let resendLimit = 3
  /// How many refusals that nobody understands are accepted, and how far apart.
  static let refusalLimit = 3
  static let refusalSpacing = Duration.seconds(300)

  /// - Parameters:
  ///   - canIntrospect: the provider allows it, and it has not been tried in this phase.
  ///   - tokenTimeLeft: of the access token; nil if unknown, which counts as none.
  static func next(
    _ history: SpendHistory, provider: ProviderDefinition, canIntrospect: Bool, tokenTimeLeft: Duration?,
    now: Now, in bootID: BootID
  ) -> RecoveryPlan {
    if let reason = history.parked { return .park(reason) }
    if !history.isAmbiguous { return afterRefusals(history.refusals, now: now, in: bootID) }
    if isInsideWindow(history, provider.reuseWindow, now: now, in: bootID) { return .send(.resend) }
    if canIntrospect { return .introspect }
    if let tokenTimeLeft, tokenTimeLeft > .zero { return .wait(tokenTimeLeft) }
    let isTried = history.open.contains { $0.purpose == .final }
    return provider.onLost == .retry && !isTried ? .send(.final) : .park(.lost)
  }

  private static func afterRefusals(_ refusals: [Moment], now: Now, in bootID: BootID) -> RecoveryPlan {
    guard let last = refusals.last else { return .send(.first) }
    guard refusals.count < refusalLimit else { return .park(.refused) }
    let elapsed = last.elapsed(until: now, in: bootID)
    return elapsed < refusalSpacing ? .wait(refusalSpacing - elapsed) : .send(.first)
  }

  /// Whether a re-send would surely reach the server inside its reuse window: the larger of the two
  /// clocks' elapsed times counts, and a wall clock that stepped back proves nothing.
  private static func isInsideWindow(
    _ history: SpendHistory, _ window: Duration, now: Now, in bootID: BootID
  ) -> Bool {
    guard !history.isDamaged, let first = history.open.first, history.open.count <= resendLimit,
      !history.open.contains(where: { $0.purpose == .final })
    else { return false }
    let wall = now.wall - first.sent.wall
    guard bootID == first.sent.bootID else { return wall >= .zero && wall < window }
    return max(wall, now.boot - first.sent.boot) < window
  }
}
