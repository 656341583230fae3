import AuthModel
public import Scheduling

/// Everything the daemon decides.
///
/// A pure value: it is told what happened and what time it is, and answers with what must be done. It
/// reads no clock, no file and no random number, so that every story about it can be told in a test,
/// and a list of events is a bug report.
///
/// - A due is stamped in the ledger before anything else happens to it, and only a due that was new
///   there goes on: no due is decided twice.
/// - An attempt is written down before its process exists: a process without a trace can't be.
/// - The gate is asked each time something is about to start, never earlier.
public struct Engine: Sendable {
  let bootID: BootID
  let machineID: String
  var now: Now
  var startedAt: Instant
  var settings = DaemonSettings()
  var jobs: [JobID: Job] = [:]
  var runs: [RunID: OpenRun] = [:]
  var providers: [ProviderName: Provider] = [:]
  var shares: [JobID: QueueShare] = [:]
  /// What was reached by jobs whose file is gone: it may come back.
  var retired: [JobID: JobProgress] = [:]
  /// Questions about the foreground queue that the store has not answered yet, and the entries that have
  /// left it meanwhile: an answer may still show them.
  var openQuestions = 0
  var departed: Set<RunID> = []
  /// Runs that were ended for a request which the store has still to answer.
  var cancelled: [RequestID: [RunID]] = [:]
  var conditions = Conditions()
  /// Why calendar dues wait; nil while the wall clock is believed.
  public internal(set) var clockDoubt: ClockDoubt?
  /// Runs whose constraints are looked at when the conditions change.
  var constrained: Set<RunID> = []
  /// How many runs have, or may have, a process.
  var processes = 0
  var isStopping = false
  /// Whether the ledger can't be written at the moment.
  var isStoreStalled = false
  /// The latest due given to a request: the next one must be later, to be another due.
  var lastRequest = Instant(microseconds: .min)
  /// The number of the latest phase or drain.
  var lastSerial: UInt64 = 0
  /// When the queue is swept of expired entries next.
  var sweepAt: WallTime?

  var wallDues = Agenda<WallTime>()
  var bootDues = Agenda<Instant>()
  var deadlines = Agenda<Instant>()
  var effects: [Effect] = []

  public init(bootID: BootID, machineID: String, now: Now) {
    self.bootID = bootID
    self.machineID = machineID
    self.now = now
    startedAt = now.boot
  }

  /// Takes note of `event` and answers what must be done, in order.
  public mutating func handle(_ event: Event, at now: Now) -> [Effect] {
    self.now = now
    switch event {
    case .started(let definitions, let recovery, let readings): start(definitions, recovery, readings)
    case .reloaded(let definitions): reload(definitions)
    case .woke: wake()
    case .clockStepped: clockStepped()
    case .snapshotChanged(let name, let reading): snapshotChanged(name, reading)
    case .conditionsChanged(let conditions): conditionsChanged(conditions)
    case .stamped(let id, let isNew): stamped(id, isNew: isNew)
    case .taken(let entries): taken(entries)
    case .swept(let entries): swept(entries)
    case .found(let records, let id): found(records, for: id)
    case .storeStalled(let isStalled): storeStalled(isStalled)
    case .spawned(let id, let attempt, let process): spawned(id, attempt, process)
    case .spawnFailed(let id, let attempt, let failure): spawnFailed(id, attempt, failure)
    case .exited(let id, let attempt, let status): exited(id, attempt, status)
    case .lost(let id, let attempt): lost(id, attempt)
    case .phaseEnded(let name, let phase, let end): phaseEnded(name, phase, end)
    case .tokenRotated(let name): tokenRotated(name)
    case .requested(let id, let request): requested(id, request)
    case .shutdownRequested: shutDown()
    }
    leaveWhenSettled()
    defer { effects.removeAll(keepingCapacity: true) }
    return effects
  }

  // MARK: - Words shared by all topics

  var moment: Moment { Moment(bootID: bootID, now: now) }

  mutating func write(_ write: StoreWrite) { effects.append(.store(write)) }

  mutating func nextSerial() -> UInt64 {
    lastSerial += 1
    return lastSerial
  }

  /// Writes the verdict of a run, tells it, and forgets the run.
  mutating func settle(_ run: OpenRun, as state: RunState, _ reason: Reason?) {
    var record = run.record
    record.state = state
    record.reason = reason?.text
    record.ended = moment
    forget(run)
    write(.update(record))
    effects.append(.report(.verdict(record)))
    ended(run)
  }

  /// Takes a run out of memory, wherever it is noted.
  mutating func forget(_ run: OpenRun) {
    guard let known = runs.removeValue(forKey: run.id) else { return }
    if known.hasProcess { processes -= 1 }
    constrained.remove(run.id)
    jobs[run.record.job]?.active.removeAll { $0 == run.id }
  }

  /// Replaces a run in memory.
  mutating func keep(_ run: OpenRun) {
    let before = runs.updateValue(run, forKey: run.id)
    processes += (run.hasProcess ? 1 : 0) - (before?.hasProcess == true ? 1 : 0)
    if before == nil { jobs[run.record.job]?.active.append(run.id) }
  }

  /// What follows from the end of a run for others: the job's queued run, the drain, the queue.
  mutating func ended(_ run: OpenRun) {
    admitQueued(run.record.job)
    leaveDrain(run)
    if let share = shares[run.record.job] { drain(share.provider) }
  }

  private mutating func leaveWhenSettled() {
    guard isStopping, processes == 0, !runs.values.contains(where: { $0.step == .stamping }) else { return }
    effects.append(.exit)
  }
}
