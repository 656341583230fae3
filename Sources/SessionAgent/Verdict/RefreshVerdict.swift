import AuthModel

/// What one exchange means for the session.
struct RefreshVerdict: Hashable, Sendable {
  var outcome: AttemptClass
  /// Whether the server could have used the refresh token up.
  var isSpent: IsSpent

  enum IsSpent: Hashable, Sendable { case no, maybe, yes }

  static let success = RefreshVerdict(outcome: .success, isSpent: .yes)
  static let clockSuspect = RefreshVerdict(outcome: .clockSuspect, isSpent: .yes)
  static let unusableToken = RefreshVerdict(outcome: .configuration, isSpent: .yes)
  static let transient = RefreshVerdict(outcome: .transient, isSpent: .no)
  static let ambiguous = RefreshVerdict(outcome: .ambiguous, isSpent: .maybe)
  /// Becomes `lostRotation` when an earlier send of the same token is of unknown fate.
  static let definite = RefreshVerdict(outcome: .definite, isSpent: .no)
  static let rejectedUnknown = RefreshVerdict(outcome: .rejectedUnknown, isSpent: .no)
  static let configuration = RefreshVerdict(outcome: .configuration, isSpent: .no)
}
