import AuthModel
import Scheduling

/// What a deadline is for.
enum Reminder: Hashable, Sendable {
  /// The job's next calendar due, or its spread-out catch-up.
  case calendar(JobID)
  case interval(JobID, Duration)
  /// `after_boot` and `after_start`.
  case once(JobID, Instant)

  case constraintWait(RunID)
  case retry(RunID)
  case timeLimit(RunID)
  case grace(RunID)
  case phase(ProviderName)
  case tokenExpiry(ProviderName)
}
