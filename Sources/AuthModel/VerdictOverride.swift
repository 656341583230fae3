/// What one provider means by an answer, where the verdict table would read it otherwise.
public struct VerdictOverride: Hashable, Sendable {
  public var statuses: ClosedRange<Int>
  /// The `error` of the answer; nil: any answer without a usable token.
  public var error: String?
  public var outcome: Outcome

  public init(statuses: ClosedRange<Int>, error: String? = nil, outcome: Outcome) {
    self.statuses = statuses
    self.error = error
    self.outcome = outcome
  }

  /// An answer with a token is a success, whatever else it is: it can't be overridden.
  public enum Outcome: String, Hashable, Sendable, CaseIterable {
    /// The token was not used up: later.
    case transient
    /// Nobody knows whether the token was used up.
    case ambiguous
    /// The session is over.
    case definite
    /// Three spaced tries, then a login.
    case rejected
    /// The provider file is wrong: nothing until reload.
    case configuration
  }
}
