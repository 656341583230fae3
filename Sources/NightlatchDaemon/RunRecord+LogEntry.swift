import AuthModel
import JobEngine
import LinuxPlatform
import Scheduling

extension RunRecord {
  /// The journal entry of a verdict, or of a run's entry into the foreground queue.
  var verdictEntry: LogEntry {
    switch state {
    case .succeeded: entry("succeeded\(took)", .runSucceeded, .info)
    case .failed: entry("failed in attempt \(attempt)\(why)", .runFailed, .error)
    case .timedOut: entry("exceeded its time limit and was stopped", .runTimedOut, .error)
    case .interrupted: entry("was interrupted\(why) and is given up", .runInterrupted, .error)
    case .skipped: entry("was skipped\(why)\(others)", .runSkipped, .notice)
    case .coalesced: entry("was merged\(why)", .runCoalesced, .info)
    case .expired: entry("expired\(why)", .runExpired, .warning)
    case .cancelled: entry("was cancelled\(why)", .runCancelled, .notice)
    case .quarantined:
      entry("was cut off three times within 72 hours and is quarantined", .runQuarantined, .error)
    case .deferred, .waiting, .queued, .starting, .running, .retrying:
      entry("is deferred\(why): it waits in the foreground queue", .runDeferred, .notice)
    }
  }

  /// The reason in parentheses, after a blank.
  var why: String { reason.map { " (\(Reason.words(for: $0)))" } ?? "" }

  private var others: String { covers == 0 ? "" : ", together with \(covers.of("other due"))" }

  private var took: String {
    guard let started, let ended, started.bootID == ended.bootID else { return "" }
    return " after \((ended.boot - started.boot).short)"
  }

  func entry(
    _ text: String, _ id: MessageID, _ priority: LogEntry.Priority, verdict: String? = nil
  ) -> LogEntry {
    LogEntry(
      "\(job) \(text)", priority: priority, messageID: id.rawValue, fields: fields(verdict: verdict))
  }

  private func fields(verdict: String?) -> [(name: String, value: String)] {
    var fields = identity
    fields.append(("NIGHTLATCH_DUE", dueAt.rfc3339))
    fields.append(("NIGHTLATCH_VERDICT", verdict ?? state.rawValue))
    if let reason { fields.append(("NIGHTLATCH_REASON", reason)) }
    if let provider { fields.append(("NIGHTLATCH_PROVIDER", provider.description)) }
    if let authState { fields.append(("NIGHTLATCH_AUTH_STATE", authState)) }
    if let lateness { fields.append(("NIGHTLATCH_LATENESS_USEC", "\(lateness.wholeMicroseconds)")) }
    switch exit {
    case .exited(let status): fields.append(("NIGHTLATCH_EXIT_STATUS", "\(status)"))
    case .signaled(let signal): fields.append(("NIGHTLATCH_EXIT_SIGNAL", "\(signal)"))
    case .unknown, nil: break
    }
    return fields
  }

  /// What names the run in each of its entries, its output's included.
  var identity: [(name: String, value: String)] {
    [
      ("NIGHTLATCH_JOB", job.description), ("NIGHTLATCH_RUN", id.description),
      ("NIGHTLATCH_ATTEMPT", "\(attempt)"),
    ]
  }
}
