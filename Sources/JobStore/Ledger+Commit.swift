public import JobEngine
import Scheduling

extension Ledger {
  /// Performs the writes in order, in one transaction, and returns the answers of those that have one, in
  /// the same order. When it returns, everything is on the disk.
  ///
  /// When it throws, nothing of the list was performed and the same list may be committed again later.
  public func commit(_ writes: [StoreWrite]) throws(StoreError) -> [StoreAnswer] {
    guard !writes.isEmpty else { return [] }
    let kind: Database.TransactionKind = writes.contains(where: \.changesLedger) ? .write : .read
    return try perform(.commit(writes.count)) { () throws(StoreError.Cause) in
      try file.assertInPlace()
      return try database.transaction(kind) { () throws(StoreError.Cause) in
        var answers: [StoreAnswer] = []
        for write in writes {
          if let answer = try perform(write) { answers.append(answer) }
        }
        return answers
      }
    }
  }

  private func perform(_ write: StoreWrite) throws(StoreError.Cause) -> StoreAnswer? {
    switch write {
    case .stamp(let record): return .stamped(record.id, isNew: try stamp(record))
    case .update(let record): try update(record)
    case .saveProgress(let job, let progress): try save(progress, of: job)
    case .moveEntries(let job, let provider): try moveEntries(of: job, to: provider)
    case .take(let provider, let position, let limit, let pass):
      return .taken(try take(of: provider, after: position, limit: limit, pass: pass))
    case .sweep(let time): return .swept(try sweep(before: time))
    case .find(let ids, let request): return .found(try records(ids), request)
    }
    return nil
  }

  private func stamp(_ record: RunRecord) throws(StoreError.Cause) -> Bool {
    try database.run(RunRecord.insertUnlessPresent) { record.bind(to: &$0) }
    guard database.changes == 1 else { return false }
    try countStamp(of: record.job)
    try keepAttempt(of: record)
    return true
  }

  private func update(_ record: RunRecord) throws(StoreError.Cause) {
    try database.run(RunRecord.replace) { record.bind(to: &$0) }
    if database.changes == 1 { return try keepAttempt(of: record) }
    // An update of a due that was never stamped is its stamp.
    guard try stamp(record) else {
      throw .rejected("the due \(record.due.key) of \(record.job) is recorded under another run id")
    }
  }

  private func countStamp(of job: JobID) throws(StoreError.Cause) {
    let sql = """
      INSERT INTO jobs (job, stamped) VALUES (?, 1) ON CONFLICT (job) DO UPDATE SET stamped = stamped + 1
      """
    try database.run(sql) { $0.text(job.description) }
  }

  private func keepAttempt(of record: RunRecord) throws(StoreError.Cause) {
    guard let attempt = AttemptRecord(latestOf: record) else { return }
    try database.run(AttemptRecord.insertOrReplaceUnlessOver) { attempt.bind(to: &$0) }
  }

  private static let insertInterval = """
    INSERT INTO intervals (job, length, anchor_boot_id, anchor_boot, anchor_wall) VALUES (?, ?, ?, ?, ?)
    """

  private func save(_ progress: JobProgress, of job: JobID) throws(StoreError.Cause) {
    let name = job.description
    let sql = """
      INSERT INTO jobs (job, calendar_through, is_paused) VALUES (?, ?, ?) ON CONFLICT (job) DO UPDATE \
      SET calendar_through = excluded.calendar_through, is_paused = excluded.is_paused
      """
    try database.run(sql) {
      $0.text(name)
      $0.wall(progress.calendarThrough)
      $0.integer(progress.isPaused ? 1 : 0)
    }
    try database.run("DELETE FROM intervals WHERE job = ?") { $0.text(name) }
    for (length, anchor) in progress.intervalAnchors {
      try database.run(Self.insertInterval) {
        $0.text(name)
        $0.integer(length.wholeMicroseconds)
        $0.moment(anchor)
      }
    }
  }
}

extension StoreWrite {
  fileprivate var changesLedger: Bool {
    switch self {
    case .stamp, .update, .saveProgress, .moveEntries: true
    case .take, .sweep, .find: false
    }
  }
}
