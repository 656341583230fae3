import AuthModel
import JobEngine
import Scheduling

nonisolated extension JobID {
  static let sync = JobID("com.example.sync")
}

nonisolated extension ProviderName {
  static let work = ProviderName("work")
}

nonisolated extension BootID {
  static let first = BootID("0123456789abcdef0123456789abcdef")
}

nonisolated extension Moment {
  /// `milliseconds` after 2026-11-30 08:00 UTC on the wall clock, and as many after the boot.
  static func at(milliseconds: Int64) -> Moment {
    Moment(
      bootID: .first,
      now: Now(
        boot: Instant(microseconds: milliseconds * 1000),
        wall: .morning + .milliseconds(milliseconds)))
  }
}

nonisolated extension WallTime {
  /// 2026-11-30 08:00 UTC.
  static let morning = WallTime(seconds: 1_796_025_600)
}

nonisolated extension RunRecord {
  /// A run of the calendar due at 08:00.
  static func morning(_ state: RunState, _ change: (inout RunRecord) -> Void = { _ in }) -> RunRecord {
    var record = RunRecord(
      job: .sync, due: .calendar(.morning), dueAt: .morning, state: state, created: .at(milliseconds: 0))
    change(&record)
    return record
  }
}
