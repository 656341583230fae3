import AuthModel
import Configuration
import ControlProtocol
import JobEngine
import JobStore
import LinuxPlatform
import Scheduling

/// Answers to the calls that only read.
extension Daemon {
  var access: Access { Access() }

  func answer(_ call: ControlCall) -> ControlReply {
    do throws(StoreError) {
      return try read(call)
    } catch {
      return .failure(.storeUnavailable(reason: error.description))
    }
  }

  private func read(_ call: ControlCall) throws(StoreError) -> ControlReply {
    switch call {
    case .status: return .status(status)
    case .listJobs(let id): return try jobs(id)
    case .listQueue(let job, let provider, let limit):
      let page = try ledger.queue(QueueFilter(job: job, provider: provider, limit: limit ?? 100))
      if page.total == 0, let stranger = try stranger(job, provider) { return .failure(stranger) }
      return .queue(page.entries.map { run($0) }, total: page.total)
    case .listRuns(let job, let state, let limit):
      let filter = RunFilter(job: job, states: state.map { [$0] }, limit: limit ?? 50)
      let runs = try ledger.runs(filter)
      if runs.isEmpty, let stranger = try stranger(job, nil) { return .failure(stranger) }
      return .runs(runs.map { run($0) })
    case .getRun(let id):
      guard let record = try ledger.run(id: id) else { return .failure(.noSuchRun(id.description)) }
      return .details(run(record), try ledger.attempts(of: id).map { Attempt($0) })
    case .why(let selection): return try explain(selection)
    case .listAuth(let name): return providers(asked: name)
    default: return .failure(.notNow(reason: "this call changes something"))
    }
  }

  /// The name that means nothing here, where nothing was found. A job whose file is gone means something as long as
  /// the ledger knows a run of it.
  private func stranger(_ job: JobID?, _ provider: ProviderName?) throws(StoreError) -> ProtocolError? {
    if let job, engine.view(of: job) == nil, configuration.loaded.jobPaths[job] == nil,
      try ledger.latest(job: job) == nil
    {
      return noSuchJob(job)
    }
    if let provider, engine.view(of: provider) == nil { return noSuchProvider(provider) }
    return nil
  }

  /// What the ledger knows, when the run is tried again, and whether the token that is there keeps it in the queue.
  private func run(_ record: RunRecord) -> Run {
    var run = Run(record)
    run.nextAttempt = engine.nextAttempt(of: record.id).map { Timestamp($0) }
    if record.state == .deferred, engine.view(of: record.job)?.isParked == true {
      run.blocked = "tokens refused"
    }
    return run
  }

  func run(_ id: RunID) -> ControlReply {
    do throws(StoreError) {
      guard let record = try ledger.run(id: id) else { return .failure(.noSuchRun(id.description)) }
      return .run(run(record))
    } catch {
      return .failure(.storeUnavailable(reason: error.description))
    }
  }

  // MARK: - Daemon and jobs

  private var status: Status {
    var status = Status(
      version: ServiceInfo.currentVersion, pid: Int(SystemClock.processID), started: Timestamp(started),
      mode: folders.mode == .system ? .system : .user, configFolder: folders.configuration,
      stateFolder: folders.state, runtimeFolder: folders.runtime)
    let summary = engine.summary
    status.jobs = engine.jobIDs.count
    status.jobsWithProblems = configuration.badJobs.count
    status.running = summary.running
    status.waiting = summary.waiting
    status.deferred = summary.deferred
    if let next = engine.nextDue() {
      status.nextJob = next.job.description
      status.nextDue = Timestamp(next.at)
    }
    status.storeProblem = storeProblem?.description
    status.clockProblem = clockProblem
    status.stopping = engine.isLeaving
    status.providers = engine.providerNames.compactMap(provider)
    status.diagnostics = configuration.loaded.diagnostics.count
    return status
  }

  private func jobs(_ id: JobID?) throws(StoreError) -> ControlReply {
    let known = Set(engine.jobIDs).union(configuration.loaded.jobPaths.keys).sorted()
    if let id, !known.contains(id) { return .failure(noSuchJob(id)) }
    let wanted = id.map { [$0] } ?? known
    let latest = try ledger.latestByJob(wanted)
    return .jobs(wanted.map { job($0, latest[$0]) })
  }

  private func job(_ id: JobID, _ latest: RunRecord?) -> Job {
    let path = configuration.loaded.jobPaths[id] ?? ""
    let problem = configuration.problem(of: path)
    guard let view = engine.view(of: id) else {
      return Job(id, file: path, problem: problem ?? "the file has not been loaded")
    }
    var job = Job(view.definition, file: path)
    job.paused = view.isPaused
    job.nextDue = view.nextDue.map { Timestamp($0) }
    job.running = view.running
    job.waiting = view.waiting
    job.deferred = view.deferred
    job.last = latest.map { run($0) }
    job.problem = problem
    job.state =
      if view.isPaused { .paused } else if view.running > 0 { .running } else if view.waiting > 0 {
        .waiting
      } else if view.deferred > 0 { .deferred } else { .idle }
    return job
  }

  // MARK: - Providers

  private func providers(asked name: ProviderName?) -> ControlReply {
    guard let name else { return providers(engine.providerNames) }
    return engine.view(of: name) == nil ? .failure(noSuchProvider(name)) : providers([name])
  }

  func providers(_ names: [ProviderName]) -> ControlReply { .providers(names.compactMap(provider)) }

  private func provider(_ name: ProviderName) -> Provider? {
    guard let view = engine.view(of: name) else { return nil }
    var provider = Provider(
      name, kind: view.definition.kind.name, state: view.state, snapshot: view.reading.snapshot,
      at: SystemClock.now(), in: bootID)
    provider.deferred = view.deferred
    switch view.phase {
    case .idle: provider.phase = .idle
    case .running: provider.phase = .running
    case .backingOff(let until):
      provider.phase = .backingOff
      provider.nextPhase = Timestamp(until)
    case .parked(let detail):
      provider.phase = .parked
      provider.blocked = detail
    }
    if case .unauthenticated = view.state, view.deferred > 0 { provider.blocked = "login required" }
    return provider
  }

  // MARK: - Runs

  private func explain(_ selection: ControlCall.RunSelection) throws(StoreError) -> ControlReply {
    let record: RunRecord?
    switch selection {
    case .run(let id):
      record = try ledger.run(id: id)
      if record == nil { return .failure(.noSuchRun(id.description)) }
    case .due(let job, let time):
      record = try ledger.find(job: job, nearest: time)
      // Times are shown to the second.
      if let record, record.dueAt - time > .seconds(1) || time - record.dueAt > .seconds(1) {
        let nearest = "the nearest is \(record.id), due at \(record.dueAt.rfc3339)"
        return .failure(.notNow(reason: "\(job) has no run for that due; \(nearest)"))
      }
    case .newest(let job): record = try ledger.latest(job: job)
    }
    guard let record else { return .failure(noDue(selection)) }
    let attempts = try ledger.attempts(of: record.id)
    let explanation = Explanation(
      record, attempts, job: engine.view(of: record.job), provider: record.provider.flatMap(provider),
      nextAttempt: engine.nextAttempt(of: record.id), clockProblem: clockProblem)
    return .explanation(run(record), attempts.map { Attempt($0) }, explanation.lines)
  }

  private func noDue(_ selection: ControlCall.RunSelection) -> ProtocolError {
    let job: JobID
    switch selection {
    case .run(let id): return .noSuchRun(id.description)
    case .due(let id, _), .newest(let id): job = id
    }
    guard let view = engine.view(of: job) else { return noSuchJob(job) }
    let waits = view.waitsForClock ? clockProblem.map { ", for \($0)" } : nil
    return .notNow(reason: "the job has had no due yet\(waits ?? "")")
  }

  /// Why calendar dues wait.
  private var clockProblem: String? { engine.clockDoubt?.text(at: SystemClock.now().wall) }

  /// The runs that a cancellation is about, as the ledger knows them.
  func openRuns(_ selection: ControlCall.CancelSelection) -> Result<[RunRecord], ProtocolError> {
    do throws(StoreError) {
      switch selection {
      case .run(let id):
        guard let record = try ledger.run(id: id) else { return .failure(.noSuchRun(id.description)) }
        return record.state.isFinal ? .failure(.alreadyEnded(run: id.description)) : .success([record])
      case .job(let job):
        if engine.view(of: job) == nil { return .failure(noSuchJob(job)) }
        let open = Set(RunState.allCases.filter { !$0.isFinal })
        return .success(try ledger.runs(RunFilter(job: job, states: open, limit: 1000)))
      }
    } catch {
      return .failure(.storeUnavailable(reason: error.description))
    }
  }

  func reloadReply() -> ControlReply {
    if engine.isLeaving { return .failure(error(for: .stopping)) }
    let configuration = reload()
    return .reloaded(
      jobs: configuration.loaded.jobs.count, providers: configuration.loaded.providers.count,
      configuration.loaded.diagnostics.map { ControlProtocol.Diagnostic($0) })
  }

  // MARK: - Errors

  func error(for refusal: Refusal) -> ProtocolError {
    switch refusal {
    case .noSuchJob(let id): noSuchJob(id)
    case .noSuchProvider(let name): noSuchProvider(name)
    case .stopping: .notNow(reason: "the daemon is stopping")
    }
  }

  private func noSuchJob(_ id: JobID) -> ProtocolError {
    .noSuchJob(
      id.description, nearest: nearest(to: id.description, among: engine.jobIDs.map(\.description)))
  }

  func noSuchProvider(_ name: ProviderName) -> ProtocolError {
    .noSuchProvider(
      name.description,
      nearest: nearest(to: name.description, among: engine.providerNames.map(\.description)))
  }
}

extension Attempt {
  init(_ record: AttemptRecord) {
    self.init(
      attempt: record.number, started: record.started?.wall, ended: record.ended?.wall,
      outcome: record.outcome?.rawValue, exit: record.exit, reason: record.reason,
      tokenGeneration: record.tokenGeneration)
  }
}

extension ControlProtocol.Diagnostic {
  init(_ diagnostic: Configuration.Diagnostic) {
    let severity: Severity =
      switch diagnostic.severity {
      case .error: .error
      case .warning: .warning
      case .note: .note
      }
    self.init(
      path: diagnostic.path, line: diagnostic.position?.line ?? 0,
      column: diagnostic.position?.column ?? 0, severity: severity, message: diagnostic.message)
  }
}
