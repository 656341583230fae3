import AuthModel
import Scheduling

/// The foreground queue: in, coalesced, out, expired.
///
/// The entries are in the ledger; the engine holds counts, and asks for a few entries at a time.
extension Engine {
  /// How many entries are looked at in one go.
  static let takeLimit = 64

  /// The run is, or will be with this turn's writes, in the queue.
  mutating func enterQueue(_ run: OpenRun, isStamped: Bool) {
    var record = run.record
    forget(run)
    guard jobs[record.job] != nil, let name = record.provider else { return orphaned(record) }
    var share = shares[record.job] ?? QueueShare(provider: name)
    if let other = share.latest, run.job.auth.coalesce != .all {
      guard run.job.auth.coalesce == .latest else { return merge(record, into: other) }
      replace(other, by: &record)
    } else {
      share.count += 1
      providers[name]?.deferredCount += 1
    }
    share.latest = record
    shares[record.job] = share
    if !isStamped || record.covers != run.record.covers { write(.update(record)) }
    effects.append(.report(.verdict(record)))
    expire(at: record.deferredUntil)
    admitQueued(record.job)
    considerPhase(name)
  }

  /// `coalesce = "latest"`: the newer entry stands for both.
  private mutating func replace(_ other: RunRecord, by record: inout RunRecord) {
    record.covers += other.covers + 1
    depart(other.id)
    conclude(other, as: .coalesced, .laterDue)
  }

  /// `coalesce = "earliest"`: the older entry stands for both.
  private mutating func merge(_ record: RunRecord, into other: RunRecord) {
    var other = other
    other.covers += record.covers + 1
    shares[record.job]?.latest = other
    write(.update(other))
    conclude(record, as: .coalesced, .earlierDue)
    admitQueued(record.job)
  }

  /// The verdict of a run that is not in memory.
  mutating func conclude(_ record: RunRecord, as state: RunState, _ reason: Reason) {
    var record = record
    record.state = state
    record.reason = reason.text
    record.ended = moment
    write(.update(record))
    effects.append(.report(.verdict(record)))
  }

  private mutating func depart(_ id: RunID) {
    if openQuestions > 0 { departed.insert(id) }
  }

  private mutating func ask(_ question: StoreWrite) {
    openQuestions += 1
    write(question)
  }

  /// The entries of an answer that are still in the queue, as the engine knows them.
  private mutating func answered(_ records: [RunRecord]) -> [RunRecord] {
    let present = records.filter { !departed.contains($0.id) && runs[$0.id] == nil }
    openQuestions -= 1
    if openQuestions == 0 { departed = [] }
    return present.map { record in
      guard let latest = shares[record.job]?.latest, latest.id == record.id else { return record }
      return latest
    }
  }

  /// An entry has left the queue.
  mutating func leftQueue(_ record: RunRecord) {
    depart(record.id)
    guard var share = shares[record.job] else { return }
    share.count -= 1
    if share.latest?.id == record.id { share.latest = nil }
    shares[record.job] = share.count > 0 ? share : nil
    if jobs[record.job] != nil { providers[share.provider]?.deferredCount -= 1 }
  }

  /// The job file went away while the run was under way: nobody will ask the gate for it again.
  private mutating func orphaned(_ record: RunRecord) { conclude(record, as: .cancelled, .noDefinition) }

  // MARK: - Drain

  /// Starts a pass over the provider's entries, or has the one under way followed by another.
  mutating func drain(_ name: ProviderName) {
    guard var provider = providers[name], !isStopping, provider.deferredCount > 0 else { return }
    guard authState(of: provider).mayRelease else { return }
    if provider.drain != nil {
      provider.drain?.isAgainWanted = true
      providers[name] = provider
    } else {
      provider.drain = Provider.Drain(pass: nextSerial())
      providers[name] = provider
      askForEntries(name)
    }
  }

  private mutating func askForEntries(_ name: ProviderName) {
    guard var drain = providers[name]?.drain, !drain.isAsking, !isStopping else { return }
    if drain.isExhausted {
      guard drain.inFlight.isEmpty else { return }
      providers[name]?.drain = nil
      if drain.isAgainWanted { self.drain(name) }
      // What a whole pass could not release may need a longer token.
      return considerPhase(name)
    }
    guard drain.inFlight.count < settings.drainConcurrency else { return }
    drain.isAsking = true
    providers[name]?.drain = drain
    ask(.take(name, after: drain.cursor, limit: Self.takeLimit, pass: drain.pass))
  }

  mutating func taken(_ entries: TakenEntries) {
    let name = entries.provider
    let records = answered(entries.entries)
    guard let provider = providers[name], provider.drain?.pass == entries.pass else { return }
    providers[name]?.drain?.isAsking = false
    guard authState(of: provider).mayRelease, !isStopping else {
      providers[name]?.drain?.isExhausted = true
      return askForEntries(name)
    }
    for record in records {
      guard providers[name]?.drain?.inFlight.count ?? 0 < settings.drainConcurrency else {
        return
      }
      providers[name]?.drain?.cursor = QueuePosition(record)
      take(record, entries.pass)
    }
    if let last = entries.entries.last { providers[name]?.drain?.cursor = QueuePosition(last) }
    providers[name]?.drain?.isExhausted = entries.isExhausted
    askForEntries(name)
  }

  /// Asks the gate again; the entry stays where it is unless it may start, or its job skips.
  private mutating func take(_ record: RunRecord, _ pass: UInt64) {
    guard let job = jobs[record.job], !job.progress.isPaused else { return }
    // The end of the run that is in the way starts another pass.
    guard job.active.isEmpty || job.definition.overlap == .allow else { return }
    var run = OpenRun(record: record, job: job.definition, step: .queued)
    decide(&run, overlap: .allow)
    guard run.record.state == .starting else { return }
    run.drain = pass
    if let name = record.provider { providers[name]?.drain?.inFlight.insert(record.id) }
    leftQueue(record)
    enter(&run)
  }

  mutating func drainedRunEnded(_ name: ProviderName, _ id: RunID, _ pass: UInt64) {
    guard providers[name]?.drain?.pass == pass else { return }
    providers[name]?.drain?.inFlight.remove(id)
    askForEntries(name)
  }

  // MARK: - Expiry

  /// Makes sure the queue is swept when this entry's time is over.
  mutating func expire(at time: WallTime?) {
    guard let time, sweepAt.map({ time < $0 }) ?? true else { return }
    sweepAt = time
    expiries.insert(.sweep, at: time)
  }

  mutating func sweep() {
    sweepAt = nil
    ask(.sweep(before: now.wall))
  }

  mutating func swept(_ entries: SweptEntries) {
    for record in answered(entries.expired) { expireOrProlong(record) }
    expire(at: entries.next)
  }

  /// The wall clock may have been set: within a boot the boot clock says how long an entry has waited.
  private mutating func expireOrProlong(_ record: RunRecord) {
    var record = record
    let limit = jobs[record.job]?.definition.auth.deferFor ?? .zero
    let left = limit - (record.deferred?.elapsed(until: now, in: bootID) ?? limit)
    if left > .zero {
      record.deferredUntil = now.wall + left
      expire(at: record.deferredUntil)
      return write(.update(record))
    }
    leftQueue(record)
    conclude(record, as: .expired, .deferredTooLong)
  }
}

extension AuthState {
  /// Whether some deferred run may start: one that needs a token when authenticated, one that needs just
  /// a session when unverified. Without a session they stay, visible as blocked.
  var mayRelease: Bool {
    switch self {
    case .authenticated, .authenticatedUnverified: true
    case .unauthenticated, .notReady: false
    }
  }
}
