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
    let reason = record.reason.map { Self.meaning($0) }
    switch record.state {
    case .deferred: return deferred(record, reason, provider, isParked: isParked)
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
    default: return ["Verdict: \(record.state.rawValue)\(reason.map { ", because \($0)" } ?? "")."]
    }
  }

  private func deferred(
    _ record: RunRecord, _ reason: String?, _ provider: Provider?, isParked: Bool
  ) -> [String] {
    var lines = ["It waits in the foreground queue\(reason.map { ", because \($0)" } ?? "")."]
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
      if let attempt = provider.lastAttempt, attempt.outcome != "success" {
        lines.append("The last attempt was \(attempt.words): \(attempt.detail).")
      }
    }
    if let until = record.deferredUntil {
      lines.append("If nothing changes, it expires at \(until.rfc3339).")
    }
    return lines
  }

  /// The reason in words; one that is a sentence already stays as it is.
  private static func meaning(_ reason: String) -> String {
    switch reason {
    case "unverified": "its session had not been verified, and background work never refreshes one"
    case "token-too-short": "its token would have ended within min_token_lifetime"
    case "unauthenticated": "nobody was logged in"
    case "not-ready": "nothing was known about its session"
    case "token-refused": "the service refused the token"
    case "token-refused-again": "the service refused the token, as it had the one before"
    case "overlap": "an earlier run had not ended"
    case "missed": "it passed while the daemon or the machine was not there"
    case "paused": "the job was paused"
    case "queue-full": "the job had max_deferred entries in the foreground queue already"
    case "later-due": "a later due took its place in the foreground queue"
    case "earlier-due": "an earlier due was waiting already"
    case "constraints": "its constraints were not met within constraint_wait"
    case "deferred-too-long": "it waited longer than defer_for"
    case "time-limit": "it ran longer than time_limit"
    case "by-request": "somebody asked for it"
    case "replaced": "a later due replaced it"
    case "shutdown": "the daemon was stopped"
    case "constraint-lost": "a constraint was lost while it ran"
    case "crash": "the daemon or the machine went down"
    case "no-definition": "its job file was gone"
    case "exit-unknown": "nobody was there to see how it ended"
    default: ending(reason) ?? reason
    }
  }

  private static func ending(_ reason: String) -> String? {
    let parts = reason.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, let number = Int32(parts[1]) else { return nil }
    return switch parts[0] {
    case "exit": "it ended with exit status \(number)"
    case "signal": "signal \(number) ended it"
    default: nil
    }
  }
}
