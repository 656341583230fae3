import AuthModel
import JobEngine
import JobStore
import LinuxPlatform
import Scheduling

/// The shell around the engine: events in, effects out.
///
/// One turn takes the events that have come in, lets the engine decide, commits every store write of the
/// turn in one transaction, and only then does the rest, in order. It decides nothing itself.
final class Daemon {
  let folders: Folders
  let log: LogSink
  let manager: ServiceManager
  let ledger: Ledger
  let bootID: BootID
  let isClockSynchronized: () -> Bool
  let started = SystemClock.now().wall
  var engine: Engine
  var configuration: ConfigurationFiles

  let auth: AuthWatch
  let runs: RunProcesses
  let phases: PhaseStarter
  let broker = TokenBroker()
  let hooks: Hooks
  var control: ControlServer?
  var network: NetworkWatch?
  var power: PowerWatch?
  var session: SessionWatch?
  var zoneWatch: FileWatch?
  var tokenWatches: [ProviderName: FileWatch] = [:]
  var departure: DepartureWatch?
  /// Kept alive for as long as the daemon.
  var watches: [AnyObject] = []
  private var timer: WakeTimer?

  private var inbox: [Event] = []
  private var isTurnPlanned = false
  /// What could not be written yet, and what must not be done before it is.
  private var unwritten: [StoreWrite] = []
  private var held: [Effect] = []
  var storeProblem: StoreError?
  private var retryStoreAt: Instant?
  private var storeRetries = 0
  private var pingAt: Instant?
  private var pruneAt: Instant?
  private var isReady = false

  init(
    folders: Folders, log: LogSink, manager: ServiceManager, ledger: Ledger, bootID: BootID,
    configuration: ConfigurationFiles, orphans: Orphans,
    isClockSynchronized: @escaping () -> Bool = { SystemClock.isSynchronized }
  ) {
    self.isClockSynchronized = isClockSynchronized
    self.folders = folders
    self.log = log
    self.manager = manager
    self.ledger = ledger
    self.bootID = bootID
    self.configuration = configuration
    let now = SystemClock.now()
    engine = Engine(bootID: bootID, machineID: SystemClock.machineID(), now: now)
    auth = AuthWatch(folders: folders, bootID: bootID)
    runs = RunProcesses(folders: folders, bootID: bootID, log: log, orphans: orphans)
    phases = PhaseStarter(folders: folders, log: log, isUnit: PhaseStarter.isUnit(manager))
    hooks = Hooks(folders: folders, log: log)
    pruneAt = now.boot
    if manager.watchdogInterval != nil { pingAt = now.boot }
  }

  /// Connects the sources to the inbox and tells the engine that it has started.
  func start(conditions: Conditions, recovery: Recovery) throws(PlatformError) {
    timer = try WakeTimer { [weak self] in self?.post(.woke) }
    runs.onEvent = { [weak self] in self?.post($0) }
    phases.onEnd = { [weak self] name, phase, end in self?.phaseEnded(name, phase, end) }
    auth.providers = configuration.definitions.providers.keys.sorted()
    let readings = auth.readAll()
    post(.conditionsChanged(conditions))
    post(.started(configuration.definitions, recovery, readings))
  }

  func post(_ event: Event) {
    inbox.append(event)
    guard !isTurnPlanned else { return }
    isTurnPlanned = true
    Later.run { [weak self] in self?.turn() }
  }

  // MARK: - The turn

  /// Handles everything that has come in, and what follows from it at once: answers of the store come
  /// before anything newer.
  func turn() {
    isTurnPlanned = false
    var now = SystemClock.now()
    retryStore(at: now)
    for _ in 0..<64 {
      for (name, reading) in auth.changes() { inbox.append(.snapshotChanged(name, reading)) }
      guard !inbox.isEmpty else { break }
      let events = inbox
      inbox = []
      for event in events { held += engine.handle(event, at: now) }
      commit(at: now)
      now = SystemClock.now()
    }
    keepHouse(at: now)
    if inbox.isEmpty { arm(at: now) } else { post(.woke) }
  }

  /// Commits what the held effects want written, then performs the others.
  private func commit(at now: Now) {
    for case .store(let write) in held { unwritten.append(write) }
    held.removeAll { if case .store = $0 { true } else { false } }
    if !unwritten.isEmpty {
      signalRuns()
      guard retryStoreAt == nil || isAboutToLeave else { return }
      do {
        let answers = try ledger.commit(unwritten)
        unwritten = []
        storeRecovered()
        inbox.insert(contentsOf: answers.map(Event.init), at: 0)
      } catch {
        return storeFailed(error, at: now)
      }
    }
    let effects = held
    held = []
    for effect in effects { perform(effect) }
  }

  /// A signal has no record to wait for: time limits and a shutdown hold while nothing can be written, too.
  private func signalRuns() {
    for case .signal(let id, let signal) in held { perform(.signal(id, signal)) }
    held.removeAll { if case .signal = $0 { true } else { false } }
  }

  // MARK: - A store that can't be written

  private func storeFailed(_ error: StoreError, at now: Now) {
    guard error.isTransient else {
      log.write(.storeBroken(error))
      leave(70)
    }
    if storeProblem == nil {
      log.write(.storeStalled(error))
      post(.storeStalled(true))
    }
    storeProblem = error
    let wait = Duration.seconds(min(30, 1 << min(storeRetries, 5)))
    storeRetries += 1
    retryStoreAt = now.boot + wait
    if isAboutToLeave { leave(74) }
  }

  /// A stopping daemon can't wait for a disk that stays full, nor for the answers to what it could not ask:
  /// it tries once more, and what is unwritten is found out by the next.
  private var isAboutToLeave: Bool { engine.isLeaving && runs.isEmpty }

  private func retryStore(at now: Now) {
    guard let at = retryStoreAt, at <= now.boot else { return }
    retryStoreAt = nil
    commit(at: now)
  }

  private func storeRecovered() {
    guard storeProblem != nil else { return }
    storeProblem = nil
    storeRetries = 0
    log.write(.storeRecovered)
    post(.storeStalled(false))
  }

  // MARK: - Between turns

  /// The ping proves that the loop goes round; old verdicts are forgotten a few at a time.
  private func keepHouse(at now: Now) {
    if let interval = manager.watchdogInterval, let at = pingAt, at <= now.boot {
      manager.watchdog()
      pingAt = now.boot + interval
    }
    if let at = pruneAt, at <= now.boot { prune(at: now) }
    if engine.clockDoubt != nil, isClockSynchronized() { conditionsChanged() }
    broker.look(at: now, of: self)
    hooks.look(at: now, of: self)
    if isReady, manager.isPresent { manager.status(statusLine) }
  }

  private func prune(at now: Now) {
    let keep = configuration.definitions.settings.ledgerKeep
    let count = (try? ledger.prune(before: now.wall - keep, limit: 200)) ?? 0
    pruneAt = now.boot + (count == 200 ? .seconds(1) : .seconds(24 * 3600))
  }

  /// A clock that is synchronised without being set is announced by nobody: until it is believed, it is looked
  /// at once a minute.
  private func clockCheck(at now: Now) -> Instant? {
    engine.clockDoubt == nil ? nil : now.boot + .seconds(60)
  }

  private func arm(at now: Now) {
    let wake = engine.nextWake()
    let boot = [
      wake.boot, retryStoreAt, pingAt, pruneAt, clockCheck(at: now), broker.deadline, hooks.deadline,
    ].compactMap { $0 }.min()
    timer?.arm(boot: boot, wall: wake.wall)
  }

  /// Everything is loaded, the store is open and the auth cache is read.
  func becomeReady() {
    turn()
    isReady = true
    manager.ready(status: statusLine)
  }
}

extension Event {
  init(_ answer: StoreAnswer) {
    self =
      switch answer {
      case .stamped(let id, let isNew): .stamped(id, isNew: isNew)
      case .taken(let entries): .taken(entries)
      case .swept(let entries): .swept(entries)
      case .found(let records, let id): .found(records, id)
      }
  }
}
