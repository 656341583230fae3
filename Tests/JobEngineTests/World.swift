import AuthModel
import JobEngine
import Scheduling

/// The outside world, scripted: clocks that are numbers, a ledger that is a dictionary, processes that
/// end when the test says so. The engine's story is told without a file, a thread or a sleep.
struct World {
  var engine: Engine
  var now: Now
  var bootID: BootID
  var ledger = FakeLedger()
  /// Attempts whose process exists.
  var processes: [RunID: Int] = [:]
  var launches: [Launch] = []
  var phases: [StartedPhase] = []
  var signals: [SentSignal] = []
  var reports: [Report] = []
  var replies: [RequestID: RequestResult] = [:]
  var hasLeft = false
  /// What `adopt` finds.
  var survivors: Set<RunID> = []
  /// After how many further transactions the daemon is killed; nil: it lives.
  var commitsUntilCrash: Int?
  /// Whether `spawn` answers by itself.
  var startsProcesses = true
  /// Whether what is posted waits, to be one turn with what comes after it.
  var isHolding = false
  /// The latest events: pasted into a test, it reproduces a failure.
  var history: [(Now, Event)] = []
  private var pending: [Event] = []
  private var lastPID: Int32 = 100

  struct StartedPhase: Hashable {
    var provider: ProviderName
    var verb: PhaseVerb
    var serial: UInt64
    var at: Instant
  }

  struct SentSignal: Hashable {
    var run: RunID
    var signal: RunSignal
  }

  init(boot: BootID = BootID("b1"), at now: Now = .testStart, ledger: FakeLedger = FakeLedger()) {
    bootID = boot
    self.now = now
    self.ledger = ledger
    engine = Engine(bootID: boot, machineID: "m", now: now)
  }

  /// Starts a daemon on whatever the ledger holds.
  mutating func start(_ jobs: [JobDefinition], providers: [ProviderDefinition] = []) {
    post(.started(Definitions(jobs, providers), ledger.recovery(), [:]))
  }

  /// The same machine after the daemon was killed, or the next boot of it.
  func restarted(boot: BootID? = nil, after span: Duration = .zero) -> World {
    var world = self
    world.restart(boot: boot, after: span)
    return world
  }

  mutating func restart(boot: BootID? = nil, after span: Duration = .zero) {
    now = Now(
      boot: boot == nil ? now.boot + span : Instant(microseconds: 1_000_000), wall: now.wall + span)
    if boot != nil { survivors = [] }
    bootID = boot ?? bootID
    engine = Engine(bootID: bootID, machineID: "m", now: now)
    processes = [:]
    launches = []
    phases = []
    signals = []
    reports = []
    replies = [:]
    hasLeft = false
    commitsUntilCrash = nil
    lastEndedPhase = 0
  }

  // MARK: - Events

  /// Posts an event and everything that the world answers to it, in turns, until it is quiet.
  mutating func post(_ event: Event) { post([event]) }

  /// Posts events that have come in together: they are handled before the store answers any of them.
  mutating func post(_ events: [Event]) {
    pending += events
    if isHolding { return }
    while !pending.isEmpty {
      let events = pending
      pending = []
      turn(events)
    }
  }

  mutating func release() {
    isHolding = false
    post([])
  }

  private mutating func turn(_ events: [Event]) {
    var effects: [Effect] = []
    for event in events {
      history.append((now, event))
      if history.count > 400 { history.removeFirst(200) }
      effects += engine.handle(event, at: now)
    }
    // One transaction first, then everything else.
    var writes = 0
    for case .store(let write) in effects {
      pending += ledger.perform(write)
      writes += 1
    }
    if let left = commitsUntilCrash, writes > 0 { commitsUntilCrash = left - 1 }
    if commitsUntilCrash == 0 {
      pending = []
      return
    }
    for effect in effects { perform(effect) }
  }

  private mutating func perform(_ effect: Effect) {
    switch effect {
    case .store: break
    case .spawn(let launch):
      launches.append(launch)
      if startsProcesses { spawned(launch.record.id, launch.record.attempt) }
    case .adopt(let record):
      if survivors.contains(record.id) {
        spawned(record.id, record.attempt)
      } else {
        pending.append(.lost(record.id, attempt: record.attempt))
      }
    case .signal(let id, let signal): signals.append(SentSignal(run: id, signal: signal))
    case .startPhase(let name, let verb, let serial):
      phases.append(StartedPhase(provider: name, verb: verb, serial: serial, at: now.boot))
    case .report(let report): reports.append(report)
    case .reply(let id, let result): replies[id] = result
    case .exit: hasLeft = true
    }
  }

  /// Answers a launch whose process exists now.
  mutating func startProcess(_ id: RunID, _ attempt: Int) {
    spawned(id, attempt)
    let event = pending.removeLast()
    post(event)
  }

  private mutating func spawned(_ id: RunID, _ attempt: Int) {
    lastPID += 1
    processes[id] = attempt
    let process = ProcessIdentity(pid: lastPID, startTicks: UInt64(lastPID), bootID: bootID)
    pending.append(.spawned(id, attempt: attempt, process))
  }

  // MARK: - Time

  /// Lets both clocks run, waking the engine exactly when it asked to be woken.
  mutating func advance(by span: Duration) {
    let end = now.boot + span
    while let next = nextWake(), next <= end {
      elapse(to: max(next, now.boot))
      post(.woke)
    }
    elapse(to: end)
  }

  /// Runs everything to its end after each wake-up, for a while.
  mutating func play(for span: Duration, eachTaking length: Duration = .zero) {
    let end = now.boot + span
    while let next = nextWake(), next <= end {
      advance(by: max(.zero, next - now.boot))
      if length > .zero { advance(by: length) }
      while let id = processes.keys.first { exit(id) }
    }
    advance(by: max(.zero, end - now.boot))
  }

  /// The next wake-up on the boot clock; a wall-clock deadline counts from the wall clock as it is.
  mutating func nextWake() -> Instant? {
    let wake = engine.nextWake()
    let wall = wake.wall.map { now.boot + ($0 - now.wall) }
    return [wake.boot, wall].compactMap { $0 }.min()
  }

  private mutating func elapse(to instant: Instant) {
    let span = instant - now.boot
    now = Now(boot: instant, wall: now.wall + span)
  }

  /// Somebody sets the wall clock.
  mutating func step(by span: Duration) {
    now.wall = now.wall + span
    post(.clockStepped)
    post(.woke)
  }

  // MARK: - What jobs, people and agents do

  mutating func exit(_ id: RunID, _ status: Int32 = 0) { end(id, .exited(status)) }

  mutating func end(_ id: RunID, _ status: ExitStatus) {
    guard let attempt = processes.removeValue(forKey: id) else { return }
    post(.exited(id, attempt: attempt, status))
  }

  @discardableResult
  mutating func request(_ request: Request, _ id: UInt64 = 1) -> RequestResult? {
    post(.requested(RequestID(rawValue: id), request))
    return replies[RequestID(rawValue: id)]
  }

  /// Asks for a run now.
  mutating func run(_ job: JobID) throws -> RunID {
    guard case .runs(let runs) = request(.run(job)), let id = runs.first else { throw Refused(job: job) }
    return id
  }

  struct Refused: Error {
    var job: JobID
  }

  /// The agent publishes a snapshot and, if it was started by a phase, exits.
  mutating func publish(_ session: Snapshot.Session, attempt: Snapshot.Attempt? = nil, exit: Int32 = 0) {
    generation += 1
    let snapshot = Snapshot(
      generation: generation, published: Moment(bootID: bootID, now: now), session: session,
      lastAttempt: attempt)
    post(.snapshotChanged(.work, .snapshot(snapshot)))
    endPhase(.exited(exit))
  }

  mutating func endPhase(_ end: PhaseEnd) {
    guard let phase = phases.last, phase.serial != lastEndedPhase else { return }
    lastEndedPhase = phase.serial
    post(.phaseEnded(phase.provider, phase: phase.serial, end))
  }

  private var generation: UInt64 = 0
  private var lastEndedPhase: UInt64 = 0
  private var tokens: UInt64 = 0

  /// A session with a token obtained now.
  mutating func freshSession(
    lifetime: Duration? = .seconds(3600), refreshLifetime: Duration? = nil
  ) -> Snapshot.Session {
    tokens += 1
    return .present(
      Snapshot.Present(
        user: User(id: "alice"), tokenGeneration: tokens, obtained: Moment(bootID: bootID, now: now),
        lifetime: lifetime, verifiedIn: bootID, refreshLifetime: refreshLifetime))
  }

  /// A session from the store that nobody has confirmed in this boot.
  func unverifiedSession(aged age: Duration = .zero) -> Snapshot.Session {
    .present(
      Snapshot.Present(
        user: User(id: "alice"), tokenGeneration: 0,
        obtained: Moment(bootID: bootID, now: Now(boot: now.boot - age, wall: now.wall - age)),
        lifetime: nil))
  }

  func attempt(_ outcome: AttemptClass, retryAfter: Duration? = nil, failures: UInt32 = 1) -> Snapshot.Attempt
  {
    Snapshot.Attempt(
      outcome: outcome, ended: Moment(bootID: bootID, now: now), retryAfter: retryAfter,
      failures: failures, detail: "because")
  }

  // MARK: - Questions

  func record(_ id: RunID) -> RunRecord? { ledger.runs[id] }

  /// The job's records, oldest due first.
  func records(_ job: JobID) -> [RunRecord] {
    ledger.runs.values.filter { $0.job == job }.sorted { ($0.dueAt, $0.id) < ($1.dueAt, $1.id) }
  }

  func states(_ job: JobID) -> [RunState] { records(job).map(\.state) }
}
