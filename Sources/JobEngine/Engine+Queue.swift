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
    // The job may have another provider by now than when the run was made.
    guard let job = jobs[record.job],
      let name = shares[record.job]?.provider ?? job.definition.auth.provider ?? record.provider
    else {
      conclude(record, as: .cancelled, .noDefinition)
      return admitQueued(record.job)
    }
    record.provider = name
    // The token that its service refused has ended: another may be asked for again.
    if run.deferral == .unverified { unpark(record.job, at: name) }
    switch (run.job.auth.coalesce, shares[record.job]?.latest) {
    case (.latest, let other?) where record.dueAt < other.dueAt: return merge(record, into: other, .laterDue)
    case (.earliest, let other?) where other.dueAt <= record.dueAt:
      return merge(record, into: other, .earlierDue)
    case (.latest, let other?): replace(other, by: &record, .laterDue)
    case (.earliest, let other?): replace(other, by: &record, .earlierDue)
    case (.all, _), (_, nil): addEntry(of: record.job, name)
    }
    shares[record.job]?.latest = record
    departed.remove(record.id)
    if !isStamped || record != run.record { write(.update(record)) }
    effects.append(.report(.verdict(record)))
    expire(at: record.deferredUntil)
    admitQueued(record.job)
    considerPhase(name)
  }

  private mutating func addEntry(of job: JobID, _ name: ProviderName) {
    shares[job, default: QueueShare(provider: name)].count += 1
    countEntries(of: job, at: name, by: 1)
  }

  mutating func countEntries(of job: JobID, at name: ProviderName, by change: Int) {
    providers[name]?.deferredCount += change
    if providers[name]?.parked.contains(job) == false { providers[name]?.awaitedCount += change }
  }

  /// The entry that comes in stands for both.
  private mutating func replace(_ other: RunRecord, by record: inout RunRecord, _ reason: Reason) {
    record.covers += other.covers + 1
    record.refusals = max(record.refusals, other.refusals)
    depart(other.id)
    conclude(other, as: .coalesced, reason)
  }

  /// The entry that is there stands for both.
  private mutating func merge(_ record: RunRecord, into other: RunRecord, _ reason: Reason) {
    var other = other
    other.covers += record.covers + 1
    other.refusals = max(record.refusals, other.refusals)
    shares[record.job]?.latest = other
    write(.update(other))
    conclude(record, as: .coalesced, reason)
    admitQueued(record.job)
    if let name = record.provider { considerPhase(name) }
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

  mutating func ask(_ question: StoreWrite) {
    openQuestions += 1
    write(question)
  }

  /// The entries of an answer that are still in the queue, as the engine knows them.
  mutating func answered(_ records: [RunRecord]) -> [RunRecord] {
    let present = records.filter { !departed.contains($0.id) && runs[$0.id] == nil }
    openQuestions -= 1
    if openQuestions == 0 { departed = [] }
    return present.map { record in
      guard let share = shares[record.job] else { return record }
      if let latest = share.latest, latest.id == record.id { return latest }
      var record = record
      record.provider = share.provider
      return record
    }
  }

  /// An entry has left the queue.
  mutating func leftQueue(_ record: RunRecord) {
    depart(record.id)
    guard var share = shares[record.job] else { return }
    share.count -= 1
    if share.latest?.id == record.id { share.latest = nil }
    shares[record.job] = share.count > 0 ? share : nil
    if jobs[record.job] != nil { countEntries(of: record.job, at: share.provider, by: -1) }
  }

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
    guard let drain = providers[name]?.drain, !drain.isAsking, !isStopping, mayDrain(name) else { return }
    providers[name]?.drain?.isAsking = true
    ask(.take(name, after: drain.cursor, limit: Self.takeLimit, pass: drain.pass))
  }

  mutating func taken(_ entries: TakenEntries) {
    let name = entries.provider
    let records = answered(entries.entries)
    guard let provider = providers[name], provider.drain?.pass == entries.pass else { return }
    providers[name]?.drain?.isAsking = false
    guard authState(of: provider).mayRelease, !isStopping else { return endPass(name) }
    for record in records {
      guard mayDrain(name) else { return }
      providers[name]?.drain?.cursor = QueuePosition(record)
      take(record)
    }
    if let last = entries.entries.last { providers[name]?.drain?.cursor = QueuePosition(last) }
    entries.isExhausted ? endPass(name) : askForEntries(name)
  }

  private func mayDrain(_ name: ProviderName) -> Bool {
    providers[name].map { $0.drained.count < settings.drainConcurrency } ?? false
  }

  /// The pass has seen every entry; the runs it started may go on for long.
  private mutating func endPass(_ name: ProviderName) {
    let isAgainWanted = providers[name]?.drain?.isAgainWanted == true
    providers[name]?.drain = nil
    if isAgainWanted { drain(name) }
    // What a whole pass could not release may need a longer token.
    considerPhase(name)
  }

  /// Asks the gate again; the entry stays where it is unless it may start.
  private mutating func take(_ record: RunRecord) {
    guard let job = jobs[record.job], !job.progress.isPaused else { return }
    // The end of the run that is in the way starts another pass.
    guard job.active.isEmpty || job.definition.overlap == .allow else { return }
    var run = OpenRun(record: record, job: job.definition, step: .queued)
    decide(&run, overlap: .allow)
    guard run.record.state == .starting else { return }
    if let name = record.provider { providers[name]?.drained.insert(record.id) }
    leftQueue(record)
    enter(&run)
  }

  /// The run needs no place in the drain any more.
  mutating func leaveDrain(_ run: OpenRun) {
    guard let name = run.record.provider, providers[name]?.drained.remove(run.id) != nil else { return }
    askForEntries(name)
  }

  // MARK: - Expiry

  /// Makes sure the queue is swept when this entry's time is over.
  mutating func expire(at time: WallTime?) { sweepAt = [sweepAt, time].compactMap { $0 }.min() }

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
