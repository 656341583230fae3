import AuthModel
import JobEngine
import Scheduling

extension Ledger {
  /// One page of one provider's queue. The index holds nothing but deferred runs, in this order: the cost
  /// is that of the page, however long the queue is. `INDEXED BY` makes SQLite refuse any other plan.
  static let headOfQueue = """
    SELECT \(RunRecord.columns) FROM runs INDEXED BY queue_order \
    WHERE state = 'deferred' AND provider = ?1 ORDER BY drain_rank, due_at, id LIMIT ?2
    """

  static let restOfQueue = """
    SELECT \(RunRecord.columns) FROM runs INDEXED BY queue_order \
    WHERE state = 'deferred' AND provider = ?1 AND (drain_rank, due_at, id) > (?3, ?4, ?5) \
    ORDER BY drain_rank, due_at, id LIMIT ?2
    """

  static let pastExpiry = """
    SELECT \(RunRecord.columns) FROM runs INDEXED BY queue_by_expiry \
    WHERE state = 'deferred' AND deferred_until < ? ORDER BY deferred_until, id LIMIT 1000
    """

  static let firstExpiry = """
    SELECT min(deferred_until) FROM runs INDEXED BY queue_by_expiry \
    WHERE state = 'deferred' AND deferred_until >= ?
    """

  /// The most entries one take returns, whatever it asked for: bounds the memory of a turn.
  static let largestTake = 1000

  func take(
    of provider: ProviderName, after position: QueuePosition?, limit: Int, pass: UInt64
  ) throws(StoreError.Cause) -> TakenEntries {
    let limit = min(max(0, limit), Self.largestTake)
    // One more than asked for tells whether there is more.
    var entries = try entries(of: provider, after: position, limit: limit + 1)
    let isExhausted = entries.count <= limit
    if !isExhausted { entries.removeLast() }
    return TakenEntries(provider: provider, pass: pass, entries: entries, isExhausted: isExhausted)
  }

  func entries(
    of provider: ProviderName, after position: QueuePosition?, limit: Int
  ) throws(StoreError.Cause) -> [RunRecord] {
    try database.all(
      position == nil ? Self.headOfQueue : Self.restOfQueue,
      {
        $0.text(provider.description)
        $0.integer(limit)
        guard let position else { return }
        $0.position(position)
      }, row: RunRecord.init(row:))
  }

  func sweep(before time: WallTime) throws(StoreError.Cause) -> SweptEntries {
    let expired = try database.all(Self.pastExpiry, { $0.wall(time) }, row: RunRecord.init(row:))
    // Of a full thousand the next sweep finds the rest: it is due at once.
    guard expired.count < 1000 else { return SweptEntries(expired: expired, next: time) }
    return SweptEntries(expired: expired, next: try nextExpiry(from: time))
  }

  func nextExpiry(from time: WallTime) throws(StoreError.Cause) -> WallTime? {
    let found = try database.first(Self.firstExpiry, { $0.wall(time) }) {
      row throws(StoreError.Cause) in row.optionalWall()
    }
    return found ?? nil
  }
}

extension Binder {
  mutating func position(_ value: QueuePosition) {
    integer(~value.priority)
    wall(value.dueAt)
    id(value.id)
  }
}
