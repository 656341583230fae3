public import AuthModel
import Scheduling

/// The last refresh attempt of a provider and what it meant.
public struct RefreshAttempt: Codable, Hashable, Sendable {
  public var outcome: String
  public var ended: Timestamp
  public var detail: String
  public var failures: Int
  public var retryAfter: Microseconds?

  public init(_ attempt: Snapshot.Attempt) {
    outcome = attempt.outcome.name
    ended = Timestamp(attempt.ended.wall)
    detail = attempt.detail
    failures = Int(attempt.failures)
    retryAfter = attempt.retryAfter.map { Microseconds($0) }
  }

  /// The outcome for people; the name itself when a newer daemon has another.
  public var words: String { attemptClass?.words ?? outcome }

  public var isSuccess: Bool { attemptClass?.isSuccess ?? false }

  private var attemptClass: AttemptClass? { .allCases.first { $0.name == outcome } }

  private enum CodingKeys: String, CodingKey {
    case outcome, ended, detail, failures
    case retryAfter = "retry_after_usec"
  }
}
