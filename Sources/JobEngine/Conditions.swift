/// What the machine offers right now: the input of constraints and of foreground phases.
public struct Conditions: Hashable, Sendable {
  public var hasDefaultRoute = false
  public var onExternalPower = true
  /// Percent; nil without a battery.
  public var battery: Int?
  /// Whether a person's login session is active and unlocked (`[foreground] when = "session"`).
  public var isSessionActive = false

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
