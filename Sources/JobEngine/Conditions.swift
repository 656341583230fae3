/// What the machine offers right now: the input of constraints, of foreground phases and of the
/// trust in the wall clock.
public struct Conditions: Hashable, Sendable {
  public var hasDefaultRoute = false
  public var onExternalPower = true
  /// Percent; nil without a battery.
  public var battery: Int?
  /// Whether a person's login session is active and unlocked (`[foreground] when = "session"`).
  public var isSessionActive = false
  /// Whether the wall clock has been set by a source of time in this boot (`clock_trust`).
  public var isClockSynchronized = false
  /// Whether sleep or shutdown is announced: nothing is begun that must not be cut off.
  public var isGoingDown = false

  public init() {}
}

extension Constraints {
  public func areMet(by conditions: Conditions) -> Bool {
    if network && !conditions.hasDefaultRoute { return false }
    if externalPower && !conditions.onExternalPower { return false }
    if let batteryMin, let battery = conditions.battery, !conditions.onExternalPower {
      return battery >= batteryMin
    }
    return true
  }
}
