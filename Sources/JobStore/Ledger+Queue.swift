import AuthModel
import JobEngine
import Scheduling

extension Ledger {
  /// One page of one provider's queue. The index holds nothing but deferred runs, in this order: the cost
  /// is that of the page, however long the queue is. `INDEXED BY` makes SQLite refuse any other plan.
  static let headOfQueue = queuePage("")

  /// What is left after the cursor's entry among the entries of its priority and due. Apart from
  /// ``restOfQueue`` because SQLite doesn't seek to a row id at the end of a row value, but reads up to it.
  static let tiesInQueue = queuePage("AND drain_rank = ?3 AND due_at = ?4 AND id > ?5")

  static let restOfQueue = queuePage("AND (drain_rank, due_at) > (?3, ?4)")

  private static func queuePage(_ condition: String) -> String {
    """
    SELECT \(RunRecord.columns) FROM runs INDEXED BY queue_order \
    WHERE state = 'deferred' AND provider = ?1 \(condition) ORDER BY drain_rank, due_at, id LIMIT ?2
    """
  }

  static let byExpiry = """
    SELECT \(RunRecord.columns) FROM runs INDEXED BY queue_by_expiry \
    WHERE state = 'deferred' AND deferred_until <= ? ORDER BY deferred_until, id LIMIT ?
    """

  static let firstExpiry = """
    SELECT min(deferred_until) FROM runs INDEXED BY queue_by_expiry \
    WHERE state = 'deferred' AND deferred_until > ?
    """

  /// The most entries that one take or sweep returns, whatever was asked for: bounds the memory of a turn.
  static let largestBatch = 1000

  func take(
    of provider: ProviderName, after position: QueuePosition?, limit: Int, pass: UInt64
  ) throws(StoreError.Cause) -> TakenEntries {
    let limit = min(max(0, limit), Self.largestBatch)
    // One more than asked for tells whether there is more.
    var entries = try entries(of: provider, after: position, limit: limit + 1)
    let isExhausted = entries.count <= limit
    if !isExhausted { entries.removeLast() }
    return TakenEntries(provider: provider, pass: pass, entries: entries, isExhausted: isExhausted)
  }

  func entries(
    of provider: ProviderName, after position: QueuePosition?, limit: Int
  ) throws(StoreError.Cause) -> [RunRecord] {
    func page(_ sql: String, limit: Int) throws(StoreError.Cause) -> [RunRecord] {
      try database.all(
        sql,
        {
          $0.text(provider.description)
          $0.integer(limit)
          guard let position else { return }
          $0.place(position)
          if sql == Self.tiesInQueue { $0.id(position.id) }
        }, row: RunRecord.init(row:))
    }
    guard position != nil else { return try page(Self.headOfQueue, limit: limit) }
    let ties = try page(Self.tiesInQueue, limit: limit)
    return ties.count == limit ? ties : try ties + page(Self.restOfQueue, limit: limit - ties.count)
  }

  func moveEntries(of job: JobID, to provider: ProviderName) throws(StoreError.Cause) {
    let sql = "UPDATE runs SET provider = ? WHERE state = 'deferred' AND job = ?"
    try database.run(sql) {
      $0.text(provider.description)
      $0.text(job.description)
    }
  }

  /// An entry whose `deferredUntil` is `time` itself is over, so that a sweep at the time of the last one's
  /// ``SweptEntries/next`` always finds something.
  func sweep(before time: WallTime) throws(StoreError.Cause) -> SweptEntries {
    var expired = try database.all(
      Self.byExpiry,
      {
        $0.wall(time)
        $0.integer(Self.largestBatch + 1)
      }, row: RunRecord.init(row:))
    guard expired.count > Self.largestBatch else {
      return SweptEntries(expired: expired, next: try nextExpiry(after: time))
    }
    let next = expired.removeLast().deferredUntil
    return SweptEntries(expired: expired, next: next)
  }

  func nextExpiry(after time: WallTime) throws(StoreError.Cause) -> WallTime? {
    let found = try database.first(
      Self.firstExpiry, { $0.wall(time) },
      row: { row throws(StoreError.Cause) in row.optionalWall() })
    return found ?? nil
  }
}

extension Binder {
  /// The columns `drain_rank` and `due_at` of a position.
  mutating func place(_ value: QueuePosition) {
    integer(~value.priority)
    wall(value.dueAt)
  }
}
