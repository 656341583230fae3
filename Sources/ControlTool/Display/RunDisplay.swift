import ControlProtocol
import JobEngine
import Scheduling

/// A run in words.
enum RunDisplay {
  static func style(of state: String) -> Style {
    switch RunState(rawValue: state) {
    case .succeeded: .good
    case .failed, .timedOut, .interrupted, .quarantined: .bad
    case .deferred, .retrying, .expired, .skipped: .warning
    case .starting, .running: .active
    case .waiting, .queued, .coalesced, .cancelled: .dim
    case nil: .plain
    }
  }

  /// The reason, or what the exit status says when there is none.
  static func reason(of run: ControlProtocol.Run) -> String? {
    run.reason.map { words(for: $0) } ?? exit(run.exitCode, run.signal)
  }

  /// The reason's name as a phrase; what is one already, or comes from a newer daemon, as it is.
  static func words(for reason: String) -> String {
    if let phrase = phrases[reason] { return phrase }
    for (prefix, word) in [("exit-", "exit code"), ("signal-", "signal")] where reason.hasPrefix(prefix) {
      if let number = Int32(reason.dropFirst(prefix.count)) { return "\(word) \(number)" }
    }
    return reason
  }

  private static let phrases: [String: String] = Dictionary(
    uniqueKeysWithValues: ([
      (.unverified, "session not verified"), (.tokenTooShort, "token expires too soon"),
      (.unauthenticated, "nobody is logged in"), (.notReady, "session not known yet"),
      (.tokenRefused, "the service refused the token"), (.overlap, "an earlier run was still going on"),
      (.missed, "missed while off"), (.paused, "job is paused"), (.queueFull, "too many deferred"),
      (.laterDue, "a later due took its place"), (.earlierDue, "an earlier due is queued"),
      (.constraints, "constraints not met in time"), (.deferredTooLong, "no verified session in time"),
      (.timeLimit, "time limit"), (.byRequest, "on request"), (.replaced, "replaced by the next due"),
      (.shutdown, "shutdown"), (.constraintLost, "a constraint was lost"),
      (.crash, "daemon or machine went down"),
      (.noDefinition, "job file is gone"), (.exit(.unknown), "exit status unknown"),
    ] as [(Reason, String)]).map { ($0.text, $1) })

  static func exit(_ code: Int?, _ signal: Int?) -> String? {
    if let signal { return "signal \(signal)" }
    guard let code, code != 0 else { return nil }
    return "exit code \(code)"
  }

  /// How long the latest attempt took, or has been going on.
  static func duration(of run: ControlProtocol.Run, _ times: TimeDisplay) -> String? {
    guard let started = run.started else { return nil }
    if let ended = run.ended { return ended < started ? nil : times.exact(ended.wall - started.wall) }
    return RunState(rawValue: run.state) == .running ? times.exact(times.now - started.wall) : nil
  }

  /// `failed 2h ago (exit code 1)`.
  static func outcome(of run: ControlProtocol.Run, _ times: TimeDisplay) -> String {
    let when = (run.ended ?? run.started).map { " " + times.relative($0.wall) } ?? ""
    return run.state + when + (run.state == "succeeded" ? "" : reason(of: run).map { " (\($0))" } ?? "")
  }
}
