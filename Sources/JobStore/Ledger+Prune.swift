import JobEngine
public import Scheduling

extension Ledger {
  /// Removes at most `limit` runs whose verdict is final and whose due and end both lie before `time`, and
  /// returns how many. A small limit keeps each turn short: call again while the answer equals the limit.
  public func prune(before time: WallTime, limit: Int) throws(StoreError) -> Int {
    guard limit > 0 else { return 0 }
    return try perform(.prune) { () throws(StoreError.Cause) in
      try database.transaction(.write) { () throws(StoreError.Cause) in
        var removed = 0
        for state in RunState.allCases where state.isFinal && removed < limit {
          removed += try prune(state, before: time, limit: limit - removed)
        }
        return removed
      }
    }
  }

  static let pruneOneState = """
    DELETE FROM runs WHERE id IN (SELECT id FROM runs INDEXED BY runs_by_state \
    WHERE state = ?1 AND due_at < ?2 AND coalesce(ended_wall, created_wall) < ?2 \
    ORDER BY due_at, id LIMIT ?3) RETURNING job
    """

  private func prune(
    _ state: RunState, before time: WallTime, limit: Int
  ) throws(StoreError.Cause) -> Int {
    let jobs = try database.all(
      Self.pruneOneState,
      {
        $0.text(state.rawValue)
        $0.wall(time)
        $0.integer(limit)
      }, row: { row throws(StoreError.Cause) in try row.text() })
    for (job, count) in Dictionary(jobs.map { ($0, 1) }, uniquingKeysWith: +) {
      try database.run("UPDATE jobs SET pruned = pruned + ?2 WHERE job = ?1") {
        $0.text(job)
        $0.integer(count)
      }
    }
    return jobs.count
  }
}
