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
    run.reason.map { Reason.words(for: $0) } ?? exit(run.exitCode, run.signal)
  }

  /// Why the run is where it is, and when it is tried again.
  static func remark(on run: ControlProtocol.Run, _ times: TimeDisplay) -> String {
    let next = run.nextAttempt.map { "next try \(times.relative($0.wall))" }
    return [reason(of: run), next].compactMap { $0 }.joined(separator: "; ")
  }

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

  /// `failed 2h ago (exit code 1)`, `retrying in 3min (exit code 1)`.
  static func outcome(of run: ControlProtocol.Run, _ times: TimeDisplay) -> String {
    let when = (run.nextAttempt ?? run.ended ?? run.started).map { " " + times.relative($0.wall) } ?? ""
    return run.state + when + (run.state == "succeeded" ? "" : reason(of: run).map { " (\($0))" } ?? "")
  }
}
