public import Scheduling

/// A snapshot's auth state in one boot at every moment: only the token's end can still change it.
public struct AuthStateForecast: Hashable, Sendable {
  public var whileValid: AuthState
  public var otherwise: AuthState
  public var validity: TokenValidity

  /// A state that time does not change.
  public init(constant state: AuthState) {
    self.init(whileValid: state, otherwise: state, validity: .always)
  }

  public init(whileValid: AuthState, otherwise: AuthState, validity: TokenValidity) {
    self.whileValid = whileValid
    self.otherwise = otherwise
    self.validity = validity
  }

  /// The state at a moment. Looks at the wall clock only if the answer depends on it.
  public func state(boot: Instant, wall: @autoclosure () -> WallTime) -> AuthState {
    validity.contains(boot: boot, wall: wall()) ? whileValid : otherwise
  }
}
