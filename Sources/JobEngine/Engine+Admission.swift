import AuthModel
import Scheduling

/// From a due to its first decision, and from any wait to the next one.
extension Engine {
  /// How many runs of a job may wait for an earlier one; a due beyond that is skipped.
  static let queueLimit = 16

  /// Takes a due in: decides what becomes of it and asks the ledger to accept it.
  ///
  /// - Parameters:
  ///   - covers: how many other dues this one stands for.
  ///   - isMissed: whether this is a catch-up, which never is the victim of `overlap = "skip"`.
  ///   - verdict: a verdict that is known beforehand.
  mutating func accept(
    _ id: JobID, _ due: Due, _ dueAt: WallTime, covers: Int = 0, isMissed: Bool = false,
    verdict: (state: RunState, reason: Reason)? = nil
  ) {
    guard let job = jobs[id], !isStopping else { return }
    var record = RunRecord(job: id, due: due, dueAt: dueAt, state: .queued, created: moment)
    guard runs[record.id] == nil else { return }
    record.covers = covers
    record.priority = job.definition.priority
    record.provider = job.definition.auth.provider
    var run = OpenRun(record: record, job: job.definition, step: .stamping)
    decideFirst(&run, isMissed: isMissed, verdict: verdict)
    if run.record.state == .starting { prepareAttempt(&run) }
    keep(run)
    var stamp = run.record
    // It enters the queue in one transaction with the verdict of the entry that it is merged with: a crash
    // in between finds a run that waits, never two entries.
    if run.mayBeMerged { stamp.state = .queued }
    write(.stamp(stamp))
  }

  private func decideFirst(
    _ run: inout OpenRun, isMissed: Bool, verdict: (state: RunState, reason: Reason)?
  ) {
    if let verdict {
      run.record.state = verdict.state
      run.record.reason = verdict.reason.text
    } else if jobs[run.record.job]?.progress.isPaused == true, !run.record.isRequested {
      run.record.state = .skipped
      run.record.reason = Reason.paused.text
    } else {
      return decide(&run, overlap: isMissed && run.job.overlap == .skip ? .queue : run.job.overlap)
    }
    run.record.ended = moment
  }

  /// Sets the record's state to what becomes of the run now: overlap, then constraints, then the gate.
  func decide(_ run: inout OpenRun, overlap: JobDefinition.OverlapPolicy) {
    let others = jobs[run.record.job]?.active.filter { $0 != run.id } ?? []
    if !others.isEmpty, overlap != .allow {
      decideOverlap(&run, overlap, others)
    } else if !run.job.constraints.areMet(by: conditions) {
      run.record.state = .waiting
      run.record.reason = Reason.constraints.text
    } else {
      decideGate(&run)
    }
    if run.record.state.isFinal { run.record.ended = moment }
  }

  private func decideOverlap(
    _ run: inout OpenRun, _ overlap: JobDefinition.OverlapPolicy, _ others: [RunID]
  ) {
    let (state, reason): (RunState, Reason) =
      switch overlap {
      case _ where others.count > Self.queueLimit: (.skipped, .overlap)
      case .skip where others.contains { runs[$0]?.step.isWaiting == true }: (.coalesced, .earlierDue)
      case .skip: (.skipped, .overlap)
      case .queue, .replace, .allow: (.queued, .overlap)
      }
    run.record.state = state
    run.record.reason = reason.text
  }

  /// Sets the record's state to what the gate says.
  private func decideGate(_ run: inout OpenRun) {
    let policy = run.job.auth
    let provider = run.record.provider.flatMap { providers[$0] }
    let state = authState(of: provider)
    run.record.authState = run.record.provider == nil ? nil : state.name
    run.record.reason = nil
    let decision = Gate.decide(
      policy, state: state, timeLeft: timeLeft(of: provider),
      isParked: isParked(run.record.job, at: provider), isFresh: isFresh(provider, for: run))
    switch decision {
    case .run:
      run.record.state = .starting
    case .skip(let reason):
      run.record.state = .skipped
      run.record.reason = reason.text
    case .defer(let reason):
      sendToQueue(&run, reason)
    }
  }

  /// Sets the record's state to `deferred`, or to the verdict that takes its place when the queue has no
  /// room for the job.
  func sendToQueue(_ run: inout OpenRun, _ reason: Reason) {
    let policy = run.job.auth
    if policy.coalesce == .all, shares[run.record.job]?.count ?? 0 >= policy.maxDeferred {
      run.record.state = .skipped
      run.record.reason = Reason.queueFull.text
      return
    }
    run.deferral = reason
    run.record.state = .deferred
    run.record.reason = reason.text
    let since = run.record.deferred ?? moment
    run.record.deferred = since
    run.record.deferredUntil = since.wall + policy.deferFor
  }

  /// The ledger has accepted the due, or has known it all along.
  mutating func stamped(_ id: RunID, isNew: Bool) {
    guard var run = runs[id], run.step == .stamping else { return }
    guard isNew else {
      forget(run)
      return ended(run)
    }
    if let cause = run.stopRequested, !run.record.state.isFinal {
      unbegin(&run)
      guard cause == .shutdown else { return stop(run, cause) }
      return write(.update(run.record))
    }
    guard stillHolds(run) else {
      unbegin(&run)
      return reconsider(run, overlap: .allow)
    }
    enter(&run, isStamped: !run.mayBeMerged)
  }

  /// Whether the decision that was stamped would be the same now: the session or the machine may have
  /// changed while the ledger was asked.
  private func stillHolds(_ run: OpenRun) -> Bool {
    guard !run.record.state.isFinal, run.record.state != .queued else { return true }
    var again = run
    decide(&again, overlap: .allow)
    guard again.record.state == run.record.state else { return false }
    return run.record.state != .starting || run.record.tokenGeneration == token(for: run)?.generation
  }

  /// Nothing was started yet: the run is as it was before its first decision.
  private mutating func unbegin(_ run: inout OpenRun) {
    if run.record.state == .starting { run.record.attempt -= 1 }
    run.record.state = .queued
    run.step = .queued
    keep(run)
  }

  /// Enters the state that was decided.
  ///
  /// - Parameter isStamped: whether the ledger already says so.
  mutating func enter(_ run: inout OpenRun, isStamped: Bool = false) {
    switch run.record.state {
    case .starting: begin(&run, isStamped: isStamped)
    case .waiting:
      // A run that was stopped for a lost constraint waits anew.
      let until = deadline(run.job.constraints.wait, since: run.record.ended ?? run.record.created)
      run.step = .waiting(until: until)
      deadlines.insert(.constraintWait(run.id), at: until)
      constrained.insert(run.id)
      keep(run)
      if !isStamped { write(.update(run.record)) }
    case .queued:
      run.step = .queued
      keep(run)
      if !isStamped { write(.update(run.record)) }
      if run.job.overlap == .replace { replaceOthers(run) }
      // The run that was in the way may have ended while the ledger was asked.
      admitQueued(run.record.job)
    case .deferred: enterQueue(run, isStamped: isStamped)
    default:
      forget(run)
      if !isStamped { write(.update(run.record)) }
      effects.append(.report(.verdict(run.record)))
      ended(run)
    }
  }

  /// Asks again what becomes of a run that waited, and does it.
  mutating func reconsider(_ run: OpenRun, overlap: JobDefinition.OverlapPolicy) {
    var run = run
    constrained.remove(run.id)
    decide(&run, overlap: overlap)
    enter(&run)
  }

  /// The job's oldest queued run goes on when nothing else of the job is under way; all of them, when they
  /// are allowed to overlap.
  mutating func admitQueued(_ id: JobID) {
    guard !isStopping, let job = jobs[id] else { return }
    let queued = job.active.filter { runs[$0]?.step == .queued }
    if job.definition.overlap == .allow {
      for id in queued { readmit(id) }
    } else if queued.count == job.active.count, let oldest = queued.first {
      readmit(oldest)
    }
  }

  private mutating func readmit(_ id: RunID) {
    guard let run = runs[id], run.step == .queued else { return }
    reconsider(run, overlap: .allow)
  }

  private mutating func replaceOthers(_ newer: OpenRun) {
    for id in jobs[newer.record.job]?.active ?? [] where id != newer.id {
      guard let run = runs[id] else { continue }
      stop(run, .replaced)
    }
  }

  func deadline(_ span: Duration, since moment: Moment) -> Instant {
    now.boot + max(.zero, span - moment.elapsed(until: now, in: bootID))
  }
}

extension OpenRun {
  /// Whether it is to become the one entry that its job has in the foreground queue.
  fileprivate var mayBeMerged: Bool { record.state == .deferred && job.auth.coalesce != .all }
}

extension RunRecord {
  var isRequested: Bool {
    if case .request = due { return true }
    return false
  }
}

extension OpenRun.Step {
  /// Whether nothing has been started and nothing else is in the way: a later due can be merged into it.
  var isWaiting: Bool {
    switch self {
    case .waiting, .queued, .retrying: true
    case .stamping, .starting, .running, .stopping, .adopting: false
    }
  }
}
