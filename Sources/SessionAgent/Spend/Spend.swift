import Scheduling

/// One sending of a refresh token, as written down before it happens.
struct Spend: Hashable, Sendable {
  /// Why it is sent.
  enum Purpose: String, Hashable, Sendable, CaseIterable {
    case first
    /// Again, inside the reuse window: the server answers with the same pair.
    case resend
    /// The one attempt after the window, when there is nothing left to lose.
    case final
  }

  var purpose: Purpose
  /// The store's generation at the time: a store with a higher one has seen the answer.
  var generation: UInt64
  var token: TokenHash
  var sent: Moment
}
