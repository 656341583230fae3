import AuthModel
public import JobEngine
import Scheduling

extension Ledger {
  /// What a starting daemon must know. Costs what is open, not what the history holds.
  public func recover() throws(StoreError) -> Recovery {
    try perform(.read("what is open")) { () throws(StoreError.Cause) in
      try database.transaction(.read) { () throws(StoreError.Cause) in
        var recovery = Recovery()
        recovery.progress = try progress()
        recovery.open = try open()
        recovery.deferred = try deferredSummaries()
        recovery.nextExpiry = try nextExpiry(after: WallTime(microseconds: .min))
        recovery.refusals = try refusals()
        return recovery
      }
    }
  }

  static let openRuns = """
    SELECT \(RunRecord.columns) FROM runs INDEXED BY runs_by_state \
    WHERE state IN ('waiting', 'queued', 'starting', 'running', 'retrying') ORDER BY state, due_at, id
    """

  static let deferredCounts = """
    SELECT job, count(*) FROM runs INDEXED BY queue_by_job WHERE state = 'deferred' GROUP BY job
    """

  static let latestDeferred = """
    SELECT \(RunRecord.columns) FROM runs INDEXED BY queue_by_job \
    WHERE state = 'deferred' AND job = ? ORDER BY due_at DESC, id DESC LIMIT 1
    """

  static let latestRefusals = """
    SELECT runs.provider, attempts.token_generation, attempts.ended_boot_id, attempts.ended_boot, \
    attempts.ended_wall FROM attempts INDEXED BY attempts_refused JOIN runs ON runs.id = attempts.run \
    WHERE attempts.outcome = 'refused' ORDER BY attempts.run DESC, attempts.number DESC LIMIT 1000
    """

  private func refusals() throws(StoreError.Cause) -> [TokenRefusal] {
    try database.all(Self.latestRefusals) { row throws(StoreError.Cause) -> TokenRefusal? in
      let (provider, generation, ended) = (row.optionalText(), row.bits(), row.optionalMoment())
      guard let provider, let generation, let ended else { return nil }
      return TokenRefusal(provider: ProviderName(provider), generation: generation, at: ended)
    }.compactMap { $0 }
      .sorted { ($0.at.wall, $0.provider, $0.generation) < ($1.at.wall, $1.provider, $1.generation) }
  }

  private func open() throws(StoreError.Cause) -> [RunRecord] {
    try database.all(Self.openRuns, row: RunRecord.init(row:))
  }

  private func deferredSummaries() throws(StoreError.Cause) -> [JobID: DeferredSummary] {
    let counts = try database.all(Self.deferredCounts) { row throws(StoreError.Cause) in
      (job: try row.text(), count: try row.number())
    }
    var summaries: [JobID: DeferredSummary] = [:]
    for (job, count) in counts {
      let latest = try database.first(Self.latestDeferred, { $0.text(job) }, row: RunRecord.init(row:))
      guard let latest, let provider = latest.provider else {
        throw .damaged("the foreground queue's index names a run of \(job) that is not there")
      }
      summaries[JobID(job)] = DeferredSummary(provider: provider, count: count, latest: latest)
    }
    return summaries
  }

  private func progress() throws(StoreError.Cause) -> [JobID: JobProgress] {
    var progress: [JobID: JobProgress] = [:]
    let jobs = "SELECT job, calendar_through, is_paused FROM jobs WHERE calendar_through IS NOT NULL"
    try database.each(jobs) { row throws(StoreError.Cause) in
      let job = JobID(try row.text())
      var one = JobProgress(calendarThrough: try row.wall())
      one.isPaused = try row.integer() != 0
      progress[job] = one
    }
    let intervals = "SELECT job, length, anchor_boot_id, anchor_boot, anchor_wall FROM intervals"
    try database.each(intervals) { row throws(StoreError.Cause) in
      let (job, length) = (JobID(try row.text()), Duration.microseconds(try row.integer()))
      progress[job]?.intervalAnchors[length] = try row.moment()
    }
    return progress
  }
}
