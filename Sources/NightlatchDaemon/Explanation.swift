import AuthModel
import ControlProtocol
import JobEngine
import Scheduling

/// The story of one due, for `nightlatch why`: what it was for, what was decided, what happens next.
struct Explanation {
  private(set) var lines: [String] = []

  init(
    _ record: RunRecord, _ attempts: [AttemptRecord], job: Engine.JobView?, provider: Provider?,
    nextAttempt: WallTime? = nil, clockProblem: String? = nil
  ) {
    lines.append(origin(of: record))
    if record.covers > 0 {
      lines.append("It stands for \(record.covers.of("earlier due")) as well.")
    }
    if let deferred = record.deferred {
      lines.append("It entered the foreground queue at \(deferred.wall.rfc3339).")
    }
    lines += attempts.map(Self.line)
    lines += verdict(of: record, provider, nextAttempt, isParked: job?.isParked == true)
    if job?.waitsForClock == true, let clockProblem {
      lines.append("It is not due again yet, for \(clockProblem).")
    }
    if job == nil { lines.append("The job file is gone since.") }
  }

  private func origin(of record: RunRecord) -> String {
    let kind =
      switch record.due {
      case .calendar: "its calendar"
      case .interval: "its interval"
      case .request: "a request"
      }
    return "\(record.job) was due at \(record.dueAt.rfc3339) by \(kind)."
  }

  private static func line(_ attempt: AttemptRecord) -> String {
    let start = attempt.started.map { " began at \($0.wall.rfc3339)" } ?? ""
    guard let outcome = attempt.outcome else { return "Attempt \(attempt.number)\(start)." }
    let end = attempt.ended.map { " at \($0.wall.rfc3339)" } ?? ""
    let why = attempt.reason.map { " (\(Reason.words(for: $0)))" } ?? ""
    return "Attempt \(attempt.number)\(start) and ended\(end): \(outcome.rawValue)\(why)."
  }

  private func verdict(
    of record: RunRecord, _ provider: Provider?, _ nextAttempt: WallTime?, isParked: Bool
  ) -> [String] {
    switch record.state {
    case .deferred: return deferred(record, provider, isParked: isParked)
    case .waiting:
      return ["It waits for the conditions in its [constraints]."]
    case .queued:
      return ["It waits for an earlier run of the job."]
    case .retrying:
      return [
        "It waits for its next attempt\(nextAttempt.map { ", which begins at \($0.rfc3339)" } ?? "")."
      ]
    case .starting, .running:
      return ["It is running."]
    case .succeeded: return ["Verdict: succeeded."]
    default: return ["Verdict: \(record.state.rawValue)\(record.why)."]
    }
  }

  private func deferred(
    _ record: RunRecord, _ provider: Provider?, isParked: Bool
  ) -> [String] {
    var lines = ["It waits in the foreground queue\(record.why)."]
    if let provider {
      lines.append("The session of \(provider.provider) is \(provider.authState) now.")
      if isParked {
        lines.append("Blocked: it waits for another token, and none is asked for on its account.")
        lines.append(
          "'nightlatch refresh \(provider.provider)' obtains one; 'nightlatch reload' has this one tried again."
        )
      } else if let blocked = provider.blocked {
        lines.append("Blocked: \(blocked).")
      } else if let next = provider.nextPhase {
        lines.append("The next foreground phase is at \(next.wall.rfc3339); if it succeeds, the run starts.")
      } else {
        lines.append("It starts when a foreground phase has verified the session.")
      }
      if let attempt = provider.lastAttempt, !attempt.isSuccess {
        lines.append("The last attempt was \(attempt.words): \(attempt.detail).")
      }
    }
    if let until = record.deferredUntil {
      lines.append("If nothing changes, it expires at \(until.rfc3339).")
    }
    return lines
  }
}
