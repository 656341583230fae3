import AuthModel
import Scheduling

/// From the gate to the end of an attempt.
extension Engine {
  /// Three crashes of the same due within this time are enough: the due is poison.
  static let quarantineWindow = Duration.seconds(72 * 3600)
  static let quarantineCount = 3
  /// Attempts of a job that exits with 75 and sets no limit of its own.
  static let temporaryAttempts = 5

  /// Counts the next attempt, for the record to be written before its process exists.
  func prepareAttempt(_ run: inout OpenRun) {
    run.record.state = .starting
    run.record.reason = nil
    run.record.attempt += 1
    run.record.started = moment
    run.record.ended = nil
    run.record.exit = nil
    run.record.attemptOutcome = nil
    run.record.process = nil
    run.record.tokenGeneration = token(for: run)?.generation
  }

  /// Has the next attempt started.
  ///
  /// - Parameter isStamped: whether it is written down already.
  mutating func begin(_ run: inout OpenRun, isStamped: Bool) {
    if !isStamped {
      prepareAttempt(&run)
      write(.update(run.record))
    }
    run.step = .starting
    keep(run)
    let provider = run.record.provider.flatMap { providers[$0] }
    let state = provider.map { authState(of: $0) }
    effects.append(
      .spawn(Launch(record: run.record, job: run.job, authState: state, token: token(for: run))))
    warnOfShortToken(run, provider)
  }

  func token(for run: OpenRun) -> Launch.Token? {
    guard run.job.auth.requires == .verified, let name = run.record.provider,
      let provider = providers[name], let present = provider.present
    else { return nil }
    return Launch.Token(
      provider: provider.definition.name, generation: present.tokenGeneration,
      delivery: run.job.auth.deliver)
  }

  private mutating func warnOfShortToken(_ run: OpenRun, _ provider: Provider?) {
    let wanted = run.job.auth.minTokenLifetime
    guard run.job.auth.requires == .verified, let lifetime = provider?.present?.lifetime,
      lifetime < wanted
    else { return }
    effects.append(.report(.tokenAlwaysTooShort(run.record, lifetime: lifetime, wanted: wanted)))
  }

  mutating func spawned(_ id: RunID, _ attempt: Int, _ process: ProcessIdentity) {
    guard var run = runs[id], run.record.attempt == attempt else { return }
    switch run.step {
    case .starting, .adopting: break
    default: return
    }
    run.record.state = .running
    run.record.process = process
    let limit = deadline(run.job.limits.timeLimit, since: run.record.started ?? moment)
    run.step = .running(timeLimit: limit)
    deadlines.insert(.timeLimit(id), at: limit)
    if run.job.constraints.onLost == .stop { constrained.insert(id) }
    keep(run)
    write(.update(run.record))
    effects.append(.report(.runStarted(run.record)))
    if let cause = run.stopRequested {
      stop(run, cause)
    } else if isConstraintLost(run) {
      stop(run, .constraintLost)
    }
  }

  func isConstraintLost(_ run: OpenRun) -> Bool {
    run.job.constraints.onLost == .stop && !run.job.constraints.areMet(by: conditions)
  }

  mutating func spawnFailed(_ id: RunID, _ attempt: Int, _ failure: SpawnFailure) {
    guard var run = runs[id], run.record.attempt == attempt, run.step == .starting else { return }
    run.record.attemptOutcome = .notStarted
    run.record.ended = moment
    if let reason = run.stopRequested?.verdict { return settle(run, as: .cancelled, reason) }
    switch failure {
    case .program(let detail): failed(run, as: .failed, .notStarted(detail))
    case .token(let detail):
      guard let refusal = tokenRefusal(by: run) else { return failed(run, as: .failed, .notStarted(detail)) }
      tokenRejected(run, refusal, .tokenUnreadable(detail))
    }
  }

  mutating func exited(_ id: RunID, _ attempt: Int, _ status: ExitStatus) {
    guard var run = runs[id], run.record.attempt == attempt, run.hasProcess else { return }
    run.record.exit = status
    run.record.ended = moment
    if case .stopping(let cause, _) = run.step { return stopped(run, cause, status) }
    switch (status, tokenRefusal(by: run)) {
    case (.exited(0), _):
      run.record.attemptOutcome = .succeeded
      if let name = run.record.provider { providers[name]?.acceptedToken = run.record.tokenGeneration }
      settle(run, as: .succeeded, nil)
    case (.exited(75), _):
      run.record.attemptOutcome = .temporary
      failed(run, as: .failed, .exit(status))
    case (.exited(77), let refusal?):
      run.record.attemptOutcome = .refused
      tokenRejected(run, refusal, .tokenRefused)
    case (.exited, _), (.signaled, _):
      run.record.attemptOutcome = .failed
      failed(run, as: .failed, .exit(status))
    case (.unknown, _):
      // It may have succeeded: starting it again could do its work twice.
      run.record.attemptOutcome = .failed
      settle(run, as: .failed, .exit(status))
    }
  }

  // MARK: - Failure and retry

  /// Schedules another attempt, or settles.
  private mutating func failed(_ run: OpenRun, as state: RunState, _ reason: Reason) {
    var run = run
    run.record.failures += 1
    let isTemporary = run.record.attemptOutcome == .temporary
    let limit = run.job.retry.attempts ?? (isTemporary ? Self.temporaryAttempts : 1)
    guard run.record.failures < limit, jobs[run.record.job] != nil else {
      return settle(run, as: state, reason)
    }
    let delay = run.job.retry.delay(after: run.record.failures, run: run.id)
    run.record.state = .retrying
    run.record.reason = reason.text
    let until = now.boot + delay
    run.step = .retrying(until: until)
    deadlines.insert(.retry(run.id), at: until)
    leaveProcess(run)
    write(.update(run.record))
    effects.append(.report(.retryScheduled(run.record, after: delay)))
  }

  /// Keeps a run whose process is gone; the drain that took it goes on without it.
  private mutating func leaveProcess(_ run: OpenRun) {
    constrained.remove(run.id)
    keep(run)
    leaveDrain(run)
  }

  /// What it means that the attempt's token is no good; nil when it was given none.
  private func tokenRefusal(by run: OpenRun) -> TokenRefusal? {
    guard let name = run.record.provider, let generation = run.record.tokenGeneration else { return nil }
    return TokenRefusal(provider: name, generation: generation, at: moment)
  }

  /// The token was refused by the service, or could not be read: it is suspect, and the run waits for the next
  /// one. When that is no better the session is not to blame, and no token is replaced for the run any more: it is
  /// parked after a refusal, and has failed for a token that can't be read.
  private mutating func tokenRejected(_ run: OpenRun, _ refusal: TokenRefusal, _ reason: Reason) {
    var (run, reason) = (run, reason)
    run.record.refusals += 1
    if run.record.refusals < 2, suspect(refusal) {
      stateMayHaveChanged(refusal.provider)
    } else if reason == .tokenRefused {
      park(run.record.job, refusal)
      reason = .tokenRefusedAgain
    } else {
      return failed(run, as: .failed, reason)
    }
    run.record.reason = reason.text
    effects.append(.report(.tokenRefused(run.record)))
    run.step = .queued
    leaveProcess(run)
    sendToQueue(&run, reason)
    if run.record.state.isFinal { run.record.ended = moment }
    enter(&run)
    // The next token may be there already.
    if let share = shares[run.record.job] { drain(share.provider) }
  }

  // MARK: - Stopping

  /// Ends a run before its time: at once when it has no process, with SIGTERM otherwise.
  mutating func stop(_ run: OpenRun, _ cause: OpenRun.StopCause) {
    var run = run
    switch run.step {
    case .running:
      let kill = now.boot + run.job.limits.grace
      run.step = .stopping(cause, kill: kill)
      deadlines.insert(.grace(run.id), at: kill)
      keep(run)
      effects.append(.signal(run.id, .terminate))
    case .stopping(_, let kill):
      // The first deadline stands. The later cause is the one that counts, unless it is a shutdown: what was
      // to end for good must not be begun again by the next daemon.
      if cause == .shutdown { return }
      run.step = .stopping(cause, kill: kill)
      keep(run)
    case .waiting, .queued, .retrying:
      if let reason = cause.verdict { settle(run, as: .cancelled, reason) }
    case .stamping, .starting, .adopting:
      if cause == .shutdown, run.stopRequested != nil { return }
      run.stopRequested = cause
      keep(run)
    }
  }

  private mutating func stopped(_ run: OpenRun, _ cause: OpenRun.StopCause, _ status: ExitStatus) {
    var run = run
    if status == .exited(0), cause != .byRequest, cause != .noDefinition, cause != .timeLimit {
      run.record.attemptOutcome = .succeeded
      return settle(run, as: .succeeded, nil)
    }
    switch cause {
    case .timeLimit:
      run.record.attemptOutcome = .timedOut
      failed(run, as: .timedOut, .timeLimit)
    case .byRequest, .replaced, .noDefinition:
      run.record.attemptOutcome = .cancelled
      settle(run, as: .cancelled, cause.verdict)
    case .shutdown: interrupted(run, .shutdown)
    case .constraintLost:
      run.record.attemptOutcome = .interrupted
      run.record.state = .queued
      run.record.reason = Reason.constraintLost.text
      run.step = .queued
      leaveProcess(run)
      write(.update(run.record))
      if !isStopping { reconsider(run, overlap: .allow) }
    }
  }

  // MARK: - Interruption

  /// An earlier daemon began the run, and nothing is left of it.
  mutating func lost(_ id: RunID, _ attempt: Int) {
    guard var run = runs[id], run.record.attempt == attempt, run.hasProcess else { return }
    run.record.ended = moment
    guard let reason = run.stopRequested?.verdict else { return interrupted(run, .crash) }
    run.record.attemptOutcome = .interrupted
    settle(run, as: .cancelled, reason)
  }

  private mutating func interrupted(_ run: OpenRun, _ reason: Reason) {
    var run = run
    run.record.attemptOutcome = .interrupted
    // A shutdown is nobody's fault: it brings a due no nearer to quarantine.
    if reason == .crash {
      run.record.interruptions.append(now.wall)
      run.record.interruptions = run.record.interruptions.suffix(Self.quarantineCount)
    }
    if isPoison(run.record) { return settle(run, as: .quarantined, reason) }
    guard run.job.onInterrupted == .rerun, jobs[run.record.job] != nil else {
      return settle(run, as: .interrupted, reason)
    }
    run.record.state = .queued
    run.record.reason = reason.text
    run.step = .queued
    leaveProcess(run)
    write(.update(run.record))
    effects.append(.report(.runInterrupted(run.record)))
    if !isStopping { reconsider(run, overlap: .allow) }
  }

  private func isPoison(_ record: RunRecord) -> Bool {
    guard record.interruptions.count >= Self.quarantineCount, let first = record.interruptions.first
    else { return false }
    return now.wall - first <= Self.quarantineWindow
  }

  mutating func shutDown() {
    guard !isStopping else { return }
    isStopping = true
    for run in runs.values.sorted(by: { $0.id < $1.id }) { stop(run, .shutdown) }
  }
}

extension RetryPolicy {
  /// How long after a failure the next attempt begins. Jitter, up to a fifth, is added after the delay,
  /// also at the cap: never before what the file says.
  func delay(after failures: Int, run: RunID) -> Duration {
    let factor: Int64 =
      switch backoff {
      case .constant: 1
      case .linear: Int64(failures)
      case .exponential: 1 << Int64(min(Swift.max(failures - 1, 0), 40))
      }
    let (product, overflow) = initial.wholeMicroseconds.multipliedReportingOverflow(by: factor)
    let bounded = overflow ? max : min(.microseconds(product), max)
    let hash = StableHash.of(run.description, "\(failures)")
    return bounded + StableHash.duration(below: .microseconds(bounded.wholeMicroseconds / 5), from: hash)
  }
}
