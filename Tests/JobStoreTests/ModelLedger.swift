import AuthModel
import JobEngine
import Scheduling

/// What a ledger is supposed to do, in dictionaries: the oracle of the random tests.
struct ModelLedger {
  private(set) var records: [RunID: RunRecord] = [:]
  private(set) var attempts: [RunID: [Int: AttemptRecord]] = [:]
  private(set) var progress: [JobID: JobProgress] = [:]

  mutating func commit(_ write: StoreWrite) -> StoreAnswer? {
    switch write {
    case .stamp(let record):
      let isNew = records[record.id] == nil
      if isNew { keep(record) }
      return .stamped(record.id, isNew: isNew)
    case .update(let record): keep(record)
    case .saveProgress(let job, let new): progress[job] = new
    case .moveEntries(let job, let provider):
      for (id, record) in records where record.job == job && record.state == .deferred {
        records[id]?.provider = provider
      }
    case .take(let provider, let position, let limit, let pass):
      let rest = queue(of: provider).filter { entry in position.map { $0 < QueuePosition(entry) } ?? true }
      return .taken(
        TakenEntries(
          provider: provider, pass: pass, entries: Array(rest.prefix(limit)), isExhausted: rest.count <= limit
        ))
    case .find(let ids, let request): return .found(ids.compactMap { records[$0] }, request)
    case .sweep(let time):
      let expired = byExpiry.filter { ($0.deferredUntil ?? time) <= time }
      return .swept(
        SweptEntries(expired: expired, next: byExpiry.dropFirst(expired.count).first?.deferredUntil))
    }
    return nil
  }

  private mutating func keep(_ record: RunRecord) {
    records[record.id] = record
    guard let attempt = AttemptRecord(latestOf: record) else { return }
    if attempts[record.id]?[attempt.number]?.outcome != nil { return }
    attempts[record.id, default: [:]][attempt.number] = attempt
  }

  mutating func prune(before time: WallTime) -> Int {
    let old = records.values.filter {
      $0.state.isFinal && $0.dueAt < time && ($0.ended ?? $0.created).wall < time
    }
    for record in old {
      records[record.id] = nil
      attempts[record.id] = nil
    }
    return old.count
  }

  func queue(of provider: ProviderName) -> [RunRecord] {
    records.values.filter { $0.state == .deferred && $0.provider == provider }
      .sorted { QueuePosition($0) < QueuePosition($1) }
  }

  private var byExpiry: [RunRecord] {
    records.values.filter { $0.state == .deferred }
      .sorted { ($0.deferredUntil?.microseconds ?? 0, $0.id) < ($1.deferredUntil?.microseconds ?? 0, $1.id) }
  }

  var newestFirst: [RunRecord] { records.values.sorted { ($1.dueAt, $1.id) < ($0.dueAt, $0.id) } }

  var recovery: Recovery {
    var recovery = Recovery()
    recovery.progress = progress
    recovery.open = records.values.filter { !$0.state.isFinal && $0.state != .deferred }
    for entry in newestFirst.reversed() where entry.state == .deferred {
      guard let provider = entry.provider else { continue }
      let count = (recovery.deferred[entry.job]?.count ?? 0) + 1
      recovery.deferred[entry.job] = DeferredSummary(provider: provider, count: count, latest: entry)
    }
    recovery.nextExpiry = byExpiry.first?.deferredUntil
    recovery.refusals = refusals
    return recovery
  }

  private var refusals: [TokenRefusal] {
    let refused = attempts.values.flatMap(\.values).compactMap { attempt -> TokenRefusal? in
      guard attempt.outcome == .refused, let provider = records[attempt.run]?.provider,
        let generation = attempt.tokenGeneration, let ended = attempt.ended
      else { return nil }
      return TokenRefusal(provider: provider, generation: generation, at: ended)
    }
    return refused.sorted {
      ($0.at.wall, $0.provider, $0.generation) < ($1.at.wall, $1.provider, $1.generation)
    }
  }
}
