import AuthModel
import JobEngine
import JobStore
import Scheduling

nonisolated extension JobID {
  static let sync = JobID("com.example.mail-sync")
  static let backup = JobID("com.example.backup")
}

nonisolated extension ProviderName {
  static let work = ProviderName("work")
  static let home = ProviderName("home")
}

nonisolated extension BootID {
  static let first = BootID("0123456789abcdef0123456789abcdef")
}

nonisolated extension Moment {
  /// `seconds` after 1970 on the wall clock, and as many after the boot.
  static func at(_ seconds: Int64) -> Moment {
    let now = Now(boot: Instant(microseconds: seconds * 1_000_000), wall: WallTime(seconds: seconds))
    return Moment(bootID: .first, now: now)
  }
}

nonisolated extension RunRecord {
  static func due(_ seconds: Int64, _ state: RunState, job: JobID = .sync) -> RunRecord {
    RunRecord(
      job: job, due: .calendar(WallTime(seconds: seconds)), dueAt: WallTime(seconds: seconds), state: state,
      created: .at(seconds))
  }

  static func deferred(
    _ seconds: Int64, job: JobID = .sync, provider: ProviderName = .work, priority: Int = 0,
    until: Int64 = 1_000_000
  ) -> RunRecord {
    var record = due(seconds, .deferred, job: job)
    record.provider = provider
    record.priority = priority
    record.deferred = .at(seconds)
    record.deferredUntil = WallTime(seconds: until)
    return record
  }

  func with(_ change: (inout RunRecord) -> Void) -> RunRecord {
    var copy = self
    change(&copy)
    return copy
  }

  /// Every field filled, each with a value of its own.
  static let full = due(100, .retrying).with {
    $0.reason = "exit 1; „naïve“ \u{0} end"
    $0.attempt = 3
    $0.failures = 2
    $0.interruptions = [WallTime(seconds: -5), WallTime(seconds: 7)]
    $0.covers = 4
    $0.provider = .work
    $0.authState = "authenticatedUnverified"
    $0.tokenGeneration = .max
    $0.refusals = 1
    $0.priority = -9
    $0.deferred = .at(101)
    $0.deferredUntil = WallTime(seconds: 102)
    $0.started = .at(103)
    $0.ended = .at(104)
    $0.exit = .signaled(9)
    $0.attemptOutcome = .temporary
    $0.process = ProcessIdentity(pid: 4711, startTicks: .max - 1, bootID: .first)
  }
}

extension Ledger {
  func stamp(_ records: RunRecord...) throws(StoreError) { try stamp(records) }

  func stamp(_ records: [RunRecord]) throws(StoreError) { _ = try commit(records.map(StoreWrite.stamp)) }

  func update(_ record: RunRecord) throws(StoreError) { _ = try commit([.update(record)]) }
}
