/// What became of one due, as the control protocol tells it. Field by field the interface's `Run`.
public struct Run: Codable, Hashable, Sendable {
  public var run: String
  public var job: String
  public var due: Timestamp
  public var dueKind: DueKind
  public var state: String
  public var reason: String?
  public var attempt: Int
  public var failures: Int
  public var covers: Int
  public var provider: String?
  public var authState: String?
  public var priority: Int
  public var created: Timestamp
  public var deferred: Timestamp?
  public var deferredUntil: Timestamp?
  public var started: Timestamp?
  public var ended: Timestamp?
  /// Only of a run that waits for it.
  public var nextAttempt: Timestamp?
  /// What it waits for in the foreground queue, if no phase is asked for on its account.
  public var blocked: String?
  public var exitCode: Int?
  public var signal: Int?
  public var lateness: Microseconds?
  public var tokenGeneration: UInt64?

  public enum DueKind: String, Codable, Hashable, Sendable {
    case calendar, interval, request
  }

  private enum CodingKeys: String, CodingKey {
    case run, job, due, state, reason, attempt, failures, covers, provider, priority, created, deferred
    case started, ended, blocked, signal
    case dueKind = "due_kind"
    case authState = "auth_state"
    case nextAttempt = "next_attempt"
    case deferredUntil = "deferred_until"
    case exitCode = "exit_code"
    case lateness = "lateness_usec"
    case tokenGeneration = "token_generation"
  }
}
