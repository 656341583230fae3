import JobEngine
import Scheduling

extension ClockDoubt {
  /// Why calendar dues wait, and for what; one sentence without its end.
  func text(at now: WallTime) -> String {
    switch self {
    case .behind(let newest):
      "the wall clock is not trusted: it shows \(now.wholeSeconds), but the newest due in the ledger is of \(newest.wholeSeconds); calendar dues wait until it is past that or is synchronised"
    case .unsynchronized:
      "the wall clock is not trusted: it shows \(now.wholeSeconds) and has not been synchronised since the machine booted; calendar dues wait for that"
    }
  }
}

extension WallTime {
  /// For sentences: RFC 3339 without a fraction.
  var wholeSeconds: String { WallTime(seconds: microseconds / 1_000_000).rfc3339 }
}
