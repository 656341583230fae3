public import JobEngine
public import Scheduling

extension Ledger {
  /// The runs that match, newest due first.
  public func runs(_ filter: RunFilter = RunFilter()) throws(StoreError) -> [RunRecord] {
    try perform(.read("runs")) { () throws(StoreError.Cause) in
      try database.transaction(.read) { () throws(StoreError.Cause) in
        var runs: [RunRecord] = []
        for part in filter.parts {
          runs += try database.all(part.sql, { part.bind(to: &$0) }, row: RunRecord.init(row:))
        }
        runs.sort { ($1.dueAt, $1.id) < ($0.dueAt, $0.id) }
        return Array(runs.prefix(filter.boundedLimit))
      }
    }
  }

  public func run(id: RunID) throws(StoreError) -> RunRecord? {
    try perform(.read("run \(id)")) { () throws(StoreError.Cause) in try record(id) }
  }

  private func record(_ id: RunID) throws(StoreError.Cause) -> RunRecord? {
    let sql = "SELECT \(RunRecord.columns) FROM runs WHERE id = ?"
    return try database.first(sql, { $0.id(id) }, row: RunRecord.init(row:))
  }

  func records(_ ids: [RunID]) throws(StoreError.Cause) -> [RunRecord] {
    var records: [RunRecord] = []
    for id in ids {
      if let record = try record(id) { records.append(record) }
    }
    return records
  }

  /// The run's attempts, in order.
  public func attempts(of run: RunID) throws(StoreError) -> [AttemptRecord] {
    try perform(.read("the attempts of run \(run)")) { () throws(StoreError.Cause) in
      let sql = "SELECT \(AttemptRecord.columns) FROM attempts WHERE run = ? ORDER BY number"
      return try database.all(sql, { $0.id(run) }, row: AttemptRecord.init(row:))
    }
  }

  /// The job's run with the latest due.
  public func latest(job: JobID) throws(StoreError) -> RunRecord? {
    try latestByJob([job])[job]
  }

  /// Of each job the run with the latest due; a job without any is missing.
  public func latestByJob(_ jobs: some Sequence<JobID>) throws(StoreError) -> [JobID: RunRecord] {
    try perform(.read("the latest runs")) { () throws(StoreError.Cause) in
      try database.transaction(.read) { () throws(StoreError.Cause) in
        var latest: [JobID: RunRecord] = [:]
        for job in jobs { latest[job] = try neighbour(.atOrBefore, of: WallTime(microseconds: .max), job) }
        return latest
      }
    }
  }

  /// The job's run whose due is nearest to `time`, whatever the distance; the earlier one of two.
  public func find(job: JobID, nearest time: WallTime) throws(StoreError) -> RunRecord? {
    try perform(.read("a run of \(job)")) { () throws(StoreError.Cause) in
      try database.transaction(.read) { () throws(StoreError.Cause) in
        let before = try neighbour(.atOrBefore, of: time, job)
        let after = try neighbour(.after, of: time, job)
        guard let before, let after else { return before ?? after }
        return after.dueAt - time < time - before.dueAt ? after : before
      }
    }
  }

  enum Side: String {
    case atOrBefore = "due_at <= ? ORDER BY due_at DESC, id DESC"
    case after = "due_at > ? ORDER BY due_at, id"
  }

  static func nextTo(_ side: Side) -> String {
    """
    SELECT \(RunRecord.columns) FROM runs INDEXED BY runs_by_job WHERE job = ? AND \(side.rawValue) LIMIT 1
    """
  }

  private func neighbour(
    _ side: Side, of time: WallTime, _ job: JobID
  ) throws(StoreError.Cause) -> RunRecord? {
    try database.first(
      Self.nextTo(side),
      {
        $0.text(job.description)
        $0.wall(time)
      }, row: RunRecord.init(row:))
  }
}
