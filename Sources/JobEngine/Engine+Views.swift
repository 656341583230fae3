public import AuthModel
public import Scheduling

/// What people may look at. Reads nothing but memory, and changes nothing.
extension Engine {
  public struct Summary: Hashable, Sendable {
    public var running = 0
    /// Waiting for constraints, for an earlier run or for another attempt.
    public var waiting = 0
    public var deferred = 0
  }

  public struct JobView: Hashable, Sendable {
    public var definition: JobDefinition
    public var isPaused: Bool
    public var nextDue: WallTime?
    /// Whether it has calendar dues, and they wait until the wall clock is believed.
    public var waitsForClock = false
    /// Whether its service has refused the token that is there and the one before: its runs wait for another.
    public var isParked = false
    public var running: Int
    public var waiting: Int
    public var deferred: Int
  }

  public struct ProviderView: Hashable, Sendable {
    public var definition: ProviderDefinition
    public var state: AuthState
    public var reading: SnapshotReading
    public var phase: PhaseView
    public var deferred: Int
  }

  public enum PhaseView: Hashable, Sendable {
    case idle
    case running
    case backingOff(until: WallTime)
    /// Waits for a reload, a login or a person's wish; says why.
    case parked(String)
  }

  /// Whether no more work is taken.
  public var isLeaving: Bool { isStopping }

  public var jobIDs: [JobID] { jobs.keys.sorted() }

  public var providerNames: [ProviderName] { providers.keys.sorted() }

  public var summary: Summary {
    Summary(
      running: processes, waiting: runs.count - processes,
      deferred: providers.values.reduce(0) { $0 + $1.deferredCount })
  }

  public func view(of id: JobID) -> JobView? {
    guard let job = jobs[id] else { return nil }
    let running = job.active.filter { runs[$0]?.hasProcess == true }.count
    return JobView(
      definition: job.definition, isPaused: job.progress.isPaused,
      nextDue: job.progress.isPaused ? nil : nextDue(of: job),
      waitsForClock: clockDoubt != nil && !job.definition.schedule.calendars.isEmpty,
      isParked: isParked(id, at: job.definition.auth.provider.flatMap { providers[$0] }), running: running,
      waiting: job.active.count - running, deferred: shares[id]?.count ?? 0)
  }

  public func view(of name: ProviderName) -> ProviderView? {
    guard let provider = providers[name] else { return nil }
    return ProviderView(
      definition: provider.definition, state: authState(of: provider), reading: provider.reading,
      phase: phase(of: provider), deferred: provider.deferredCount)
  }

  private func phase(of provider: Provider) -> PhaseView {
    switch (provider.phase, provider.definition.fileProblem) {
    case (.running, _): .running
    case (_, let problem?): .parked(problem)
    case (.idle, nil): .idle
    case (.backingOff(let until), nil): .backingOff(until: onWall(until))
    case (.parked(let detail), nil): .parked(detail)
    }
  }

  /// When a run is begun again; nil unless it waits for its next attempt.
  public func nextAttempt(of id: RunID) -> WallTime? {
    guard case .retrying(let until) = runs[id]?.step else { return nil }
    return onWall(until)
  }

  /// Whether only a person can make the provider's session good again.
  public func needsPerson(_ name: ProviderName) -> Bool {
    guard let provider = providers[name] else { return false }
    if case .parked = phase(of: provider) { return true }
    if case .unauthenticated = authState(of: provider) { return true }
    return false
  }

  /// The job that is due next, and when; nil when that job is paused.
  public mutating func nextDue() -> (job: JobID, at: WallTime)? {
    dropStale()
    let boot = bootDues.first.flatMap { entry in entry.reminder.job.map { ($0, onWall(entry.deadline)) } }
    let wall = wallDues.first.flatMap { entry in entry.reminder.job.map { ($0, entry.deadline) } }
    let next = [boot, wall].compactMap { $0 }.min { $0.1 < $1.1 }
    return next.flatMap { jobs[$0.0]?.progress.isPaused == true ? nil : $0 }
  }

  private func nextDue(of job: Job) -> WallTime? {
    let calendar: WallTime? =
      switch job.calendarFire {
      case .wall(let fire): fire
      case .boot(let fire): onWall(fire)
      case nil: nil
      }
    let others = (Array(job.intervalFires.values) + Array(job.onceFires).map { $0 + job.offset }).map(onWall)
    return ([calendar].compactMap { $0 } + others).min()
  }

  private func onWall(_ instant: Instant) -> WallTime { now.wall + (instant - now.boot) }
}

extension Reminder {
  /// The job that a due belongs to.
  var job: JobID? {
    switch self {
    case .calendar(let id), .interval(let id, _), .once(let id, _): id
    case .constraintWait, .retry, .timeLimit, .grace, .phase, .tokenExpiry: nil
    }
  }
}
