import AuthModel
import JobEngine
import Scheduling

/// The store's operations on a dictionary: what `JobStore` does in SQLite.
struct FakeLedger {
  private(set) var runs: [RunID: RunRecord] = [:]
  /// The runs without a verdict, so that a long story stays fast.
  private(set) var open: Set<RunID> = []
  var progress: [JobID: JobProgress] = [:]
  /// How each attempt ended; never overwritten.
  var attempts: [RunID: [Int: AttemptOutcome]] = [:]
  private var refusals: [TokenRefusal] = []
  /// Writes that broke a promise: a verdict that was changed.
  var complaints: [String] = []

  mutating func perform(_ write: StoreWrite) -> [Event] {
    switch write {
    case .stamp(let record):
      guard runs[record.id] == nil else { return [.stamped(record.id, isNew: false)] }
      keep(record)
      return [.stamped(record.id, isNew: true)]
    case .update(let record):
      update(record)
    case .saveProgress(let job, let progress):
      self.progress[job] = progress
    case .moveEntries(let job, let provider):
      for var record in deferred where record.job == job {
        record.provider = provider
        keep(record)
      }
    case .take(let provider, let cursor, let limit, let pass):
      return [.taken(take(provider, cursor, limit, pass))]
    case .find(let ids, let request): return [.found(ids.compactMap { runs[$0] }, request)]
    case .sweep(let before):
      let expired = deferred.filter { $0.deferredUntil.map { $0 <= before } ?? false }
      let rest = deferred.compactMap(\.deferredUntil).filter { $0 > before }
      return [.swept(SweptEntries(expired: expired, next: rest.min()))]
    }
    return []
  }

  private mutating func update(_ record: RunRecord) {
    if let before = runs[record.id], before.state.isFinal, before.state != record.state {
      complaints.append("\(record.id) was \(before.state) and became \(record.state)")
    }
    keep(record)
    guard let outcome = record.attemptOutcome else { return }
    if attempts[record.id]?[record.attempt] == nil {
      attempts[record.id, default: [:]][record.attempt] = outcome
      if outcome == .refused, let name = record.provider, let generation = record.tokenGeneration,
        let ended = record.ended
      {
        refusals.append(TokenRefusal(provider: name, generation: generation, at: ended))
      }
    }
  }

  private mutating func keep(_ record: RunRecord) {
    runs[record.id] = record
    if record.state.isFinal { open.remove(record.id) } else { open.insert(record.id) }
  }

  private func take(
    _ provider: ProviderName, _ cursor: QueuePosition?, _ limit: Int, _ pass: UInt64
  ) -> TakenEntries {
    let rest = deferred.filter { $0.provider == provider }
      .sorted { QueuePosition($0) < QueuePosition($1) }
      .filter { record in cursor.map { $0 < QueuePosition(record) } ?? true }
    return TakenEntries(
      provider: provider, pass: pass, entries: Array(rest.prefix(limit)), isExhausted: rest.count <= limit)
  }

  var openRecords: [RunRecord] { open.compactMap { runs[$0] }.sorted { $0.id < $1.id } }

  var deferred: [RunRecord] { openRecords.filter { $0.state == .deferred } }

  func recovery() -> Recovery {
    var recovery = Recovery()
    recovery.progress = progress
    recovery.open = openRecords.filter { $0.state != .deferred }
    for record in deferred.sorted(by: { $0.dueAt < $1.dueAt }) {
      guard let provider = record.provider else { continue }
      let count = recovery.deferred[record.job]?.count ?? 0
      recovery.deferred[record.job] = DeferredSummary(
        provider: provider, count: count + 1, latest: record)
    }
    recovery.refusals = refusals
    recovery.nextExpiry = deferred.compactMap(\.deferredUntil).min()
    return recovery
  }
}
