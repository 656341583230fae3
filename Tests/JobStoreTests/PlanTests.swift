import AuthModel
import CSQLite
import JobEngine
import Scheduling
import Testing

@testable import JobStore

struct PlanTests {
  let folder = TemporaryFolder()

  private func plan(_ ledger: Ledger, _ sql: String) throws -> [String] {
    try ledger.database.all("EXPLAIN QUERY PLAN \(sql)") { row throws(StoreError.Cause) in
      for _ in 1...3 { _ = try row.integer() }
      return try row.text()
    }
  }

  @Test func `each query seeks in an index that is already in its order`() throws {
    let ledger = try Ledger(path: folder.ledger)
    let expectations = [
      (Ledger.headOfQueue, "SEARCH runs USING INDEX queue_order (provider=?)"),
      (
        Ledger.tiesInQueue,
        "SEARCH runs USING INDEX queue_order (provider=? AND drain_rank=? AND due_at=? AND id>?)"
      ),
      (
        Ledger.restOfQueue,
        "SEARCH runs USING INDEX queue_order (provider=? AND (drain_rank,due_at)>(?,?))"
      ),
      (Ledger.byExpiry, "SEARCH runs USING INDEX queue_by_expiry (deferred_until<?)"),
      (Ledger.firstExpiry, "SEARCH runs USING INDEX queue_by_expiry (deferred_until>?)"),
      (Ledger.nextProvider, "SEARCH runs USING INDEX queue_order (provider>?)"),
      (Ledger.openRuns, "SEARCH runs USING INDEX runs_by_state (state=?)"),
      (Ledger.latestDeferred, "SEARCH runs USING INDEX queue_by_job (job=?)"),
      (Ledger.nextTo(.atOrBefore), "SEARCH runs USING INDEX runs_by_job (job=? AND due_at<?)"),
      (Ledger.nextTo(.after), "SEARCH runs USING INDEX runs_by_job (job=? AND due_at>?)"),
      (RunFilter().parts[0].sql, "SCAN runs USING INDEX runs_by_due"),
      (RunFilter(states: [.failed]).parts[0].sql, "SEARCH runs USING INDEX runs_by_state (state=?)"),
    ]
    // The newest first, from an index of nothing else; each finds its run by its number.
    #expect(
      try plan(ledger, Ledger.latestRefusals) == [
        "SCAN attempts USING INDEX attempts_refused", "SEARCH runs USING INTEGER PRIMARY KEY (rowid=?)",
      ])
    for (sql, expected) in expectations {
      // One step: no "USE TEMP B-TREE FOR ORDER BY", which would read everything before the first row.
      #expect(try plan(ledger, sql) == [expected], "\(sql)")
    }
  }

  @Test func `pages of a queue of a hundred thousand cost what pages of a short one cost`() throws {
    let ledger = try Ledger(path: folder.ledger)
    try addDeferred(1...1000, to: ledger)
    let short = try stepsOfTwoPages(ledger)
    try addDeferred(1001...100_000, to: ledger)
    #expect(try ledger.queue().total == 100_000)
    #expect(try stepsOfTwoPages(ledger) == short)
    #expect(short < 2000)
    let recovery = try ledger.recover()
    #expect(recovery.deferred.count == 100 && recovery.deferred.values.allSatisfy { $0.count == 1000 })
  }

  /// How many instructions SQLite's machine needs for the head of the queue and for the page after it.
  private func stepsOfTwoPages(_ ledger: Ledger) throws -> Int {
    let before = ledger.database.steps
    for position in [nil, QueuePosition(priority: 0, dueAt: WallTime(microseconds: 5), id: .middle)] {
      let answers = try ledger.commit([.take(.work, after: position, limit: 5, pass: 1)])
      guard case .taken(let taken) = answers.first else { continue }
      #expect(taken.entries.count == 5 && !taken.isExhausted)
    }
    return ledger.database.steps - before
  }

  /// All with the same priority and only ten different dues: the worst case for a cursor.
  private func addDeferred(_ numbers: ClosedRange<Int>, to ledger: Ledger) throws {
    let sql = """
      WITH RECURSIVE numbers (n) AS (SELECT \(numbers.lowerBound) \
      UNION ALL SELECT n + 1 FROM numbers WHERE n < \(numbers.upperBound)) \
      INSERT INTO runs (id, job, due_key, due_at, state, attempt, failures, interruptions, covers, \
      provider, refusals, priority, created_boot_id, created_boot, created_wall, deferred_until) \
      SELECT n, 'job' || (n % 100), 'c:' || n, n % 10, 'deferred', 0, 0, '', 0, 'work', 0, 0, '', 0, 0, n \
      FROM numbers
      """
    try ledger.database.run(sql)
  }
}

extension RunID {
  fileprivate static let middle = RunID(storedForm: 500)
}

extension Database {
  /// Instructions executed so far by all prepared statements.
  fileprivate var steps: Int {
    var (sum, statement) = (0, sqlite3_next_stmt(handle, nil))
    while statement != nil {
      sum += Int(sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 0))
      statement = sqlite3_next_stmt(handle, statement)
    }
    return sum
  }
}
