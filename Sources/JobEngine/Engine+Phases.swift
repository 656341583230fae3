import AuthModel
import Scheduling

/// Auth states, and the foreground phases that change them.
extension Engine {
  static let backoffLimit = Duration.seconds(15 * 60)
  /// A refusal that nobody understands is tried this often, spaced, before the provider is parked.
  static let unknownRejectionTries = 3
  static let unknownRejectionSpacing = Duration.seconds(5 * 60)
  /// A token this close to its end is renewed for work that is due soon; a short-lived one, in the last third
  /// of its life.
  static let renewalLead = Duration.seconds(60)
  /// How long after a phase that succeeded, and yet was not enough, the next one waits.
  static let holdAfterSuccess = Duration.seconds(15)

  // MARK: - Auth state

  /// What background work may assume. A generation that a service refused is worth no more than none.
  func authState(of provider: Provider?) -> AuthState {
    guard let provider else { return .notReady(.noSnapshot) }
    switch provider.reading {
    case .notReady(let reason): return .notReady(reason)
    case .snapshot(let snapshot):
      let state = snapshot.authState(at: now, in: bootID)
      guard case .authenticated(let user) = state, let present = provider.present,
        present.tokenGeneration <= provider.suspectToken
      else { return state }
      return .authenticatedUnverified(user)
    }
  }

  func timeLeft(of provider: Provider?) -> Duration? {
    guard let present = provider?.present else { return .zero }
    return present.tokenTimeLeft(at: now, in: bootID)
  }

  /// Whether the provider's tokens never live as long as the job wants, and this one was obtained for it.
  func isFresh(_ provider: Provider?, for run: OpenRun) -> Bool {
    guard let present = provider?.present, let deferred = run.record.deferred,
      let lifetime = present.lifetime
    else { return false }
    return lifetime < run.job.auth.minTokenLifetime && isLater(present.obtained, than: deferred)
  }

  mutating func suspect(_ name: ProviderName?, _ generation: UInt64?) {
    guard let name, let generation, var provider = providers[name] else { return }
    provider.suspectToken = max(provider.suspectToken, generation)
    providers[name] = provider
    tellState(name)
    considerPhase(name)
  }

  mutating func snapshotChanged(_ name: ProviderName, _ reading: SnapshotReading) {
    guard var provider = providers[name], provider.reading != reading else { return }
    let hadSession = provider.present != nil
    provider.reading = reading
    if provider.present != nil, !hadSession { provider.phase = provider.phase.withoutWait }
    providers[name] = provider
    snapshotRead(name)
  }

  /// What follows from the snapshot that is there now.
  mutating func snapshotRead(_ name: ProviderName) {
    armTokenExpiry(name)
    drain(name)
    considerPhase(name)
    tellState(name)
  }

  /// Tells people when the state has another name than the one they were told last.
  private mutating func tellState(_ name: ProviderName) {
    // While a token is on its way the state is open, and it is told when the phase is over.
    guard let provider = providers[name], !provider.isPhaseRunning else { return }
    let state = authState(of: provider)
    guard state.name != provider.reportedState else { return }
    providers[name]?.reportedState = state.name
    effects.append(.report(.authStateChanged(name, state)))
    if case .unauthenticated(let reason) = state {
      effects.append(.report(.loginRequired(name, reason, blocked: provider.deferredCount)))
    }
  }

  private mutating func armTokenExpiry(_ name: ProviderName) {
    providers[name]?.expiryReminders = []
    guard let left = timeLeft(of: providers[name]), left > .zero else { return }
    for instant in [now.boot + max(.zero, left - lead(of: providers[name])), now.boot + left] {
      providers[name]?.expiryReminders.insert(instant)
      deadlines.insert(.tokenExpiry(name), at: instant)
    }
  }

  private func lead(of provider: Provider?) -> Duration {
    min(Self.renewalLead, (provider?.present?.lifetime ?? .zero) / 3)
  }

  mutating func tokenExpires(_ name: ProviderName) {
    tellState(name)
    considerPhase(name)
  }

  // MARK: - Starting a phase

  /// Starts a phase if something needs one and nothing forbids it.
  mutating func considerPhase(_ name: ProviderName) {
    guard var provider = providers[name], !isStopping, provider.phase.mayStart(at: now.boot),
      let verb = neededVerb(provider), verb == .publish || hasRoute(provider)
    else { return }
    let phase = nextSerial()
    provider.phase = .running(phase: phase, verb, since: moment)
    if verb == .refresh { provider.isWanted = false }
    providers[name] = provider
    effects.append(.report(.phaseStarted(name, verb)))
    effects.append(.startPhase(name, verb, phase: phase))
  }

  private func hasRoute(_ provider: Provider) -> Bool {
    conditions.hasDefaultRoute || provider.definition.isLoopback
  }

  private func neededVerb(_ provider: Provider) -> PhaseVerb? {
    switch authState(of: provider) {
    case .notReady: .publish
    case .unauthenticated: nil
    case .authenticatedUnverified, .authenticated: isRefreshNeeded(provider) ? .refresh : nil
    }
  }

  private func isRefreshNeeded(_ provider: Provider) -> Bool {
    if provider.isWanted { return true }
    switch provider.definition.foreground ?? settings.foreground {
    case .manual: return false
    case .session where !conditions.isSessionActive: return false
    case .session, .auto: break
    }
    if case .authenticated = authState(of: provider) {
      return isTokenTooShort(provider)
    }
    return provider.deferredCount > 0
  }

  /// Whether a valid token keeps work from starting, now or soon: entries that wait for a longer one, or
  /// a due before the renewed token would be needed.
  private func isTokenTooShort(_ provider: Provider) -> Bool {
    guard let left = timeLeft(of: provider), let present = provider.present, provider.drain == nil
    else { return false }
    if provider.deferredCount == 0 {
      let lead = lead(of: provider)
      return left <= lead && isWorkDueSoon(provider, within: left + lead)
    }
    return jobs.values.contains { job in
      guard let share = shares[job.definition.id], job.definition.auth.provider == provider.definition.name,
        job.definition.auth.requires == .verified, left < job.definition.auth.minTokenLifetime,
        job.active.isEmpty, !job.progress.isPaused,
        job.definition.constraints.areMet(by: conditions)
      else { return false }
      // A token that was obtained for the entry is as long as they get: another would be no longer.
      let canBeLonger = present.lifetime.map { $0 >= job.definition.auth.minTokenLifetime } ?? true
      return canBeLonger || share.latest?.deferred.map { !isLater(present.obtained, than: $0) } ?? true
    }
  }

  private func isLater(_ left: Moment, than right: Moment) -> Bool {
    left.elapsed(until: now, in: bootID) <= right.elapsed(until: now, in: bootID)
  }

  private func isWorkDueSoon(_ provider: Provider, within span: Duration) -> Bool {
    jobs.values.contains { job in
      guard job.definition.auth.provider == provider.definition.name,
        job.definition.auth.requires == .verified, !job.progress.isPaused
      else { return false }
      let intervals = job.intervalFires.values.contains { $0 <= now.boot + span }
      return switch job.calendarFire {
      case .wall(let fire): intervals || fire <= now.wall + span
      case .boot(let fire): intervals || fire <= now.boot + span
      case nil: intervals
      }
    }
  }

  // MARK: - Ending a phase

  mutating func phaseEnded(_ name: ProviderName, _ serial: UInt64, _ end: PhaseEnd) {
    guard var provider = providers[name], case .running(serial, let verb, let since) = provider.phase
    else { return }
    provider.phase = .idle
    providers[name] = provider
    let attempt = attempt(of: provider, since: since)
    let detail = attempt?.detail ?? describe(end)
    switch (end, attempt?.outcome) {
    case (_, .definite), (_, .lostRotation):
      providers[name]?.failures = 0
      effects.append(
        .report(.phaseFailed(name, attempt?.outcome, detail: detail, retryAfter: nil)))
    case (_, .configuration): park(name, detail)
    case (_, .rejectedUnknown) where attempt?.failures ?? 0 >= Self.unknownRejectionTries:
      park(name, detail)
    case (.exited(0), _) where neededVerb(provider) != verb: phaseSucceeded(name, verb)
    case (.exited(0), .success):
      phaseSucceeded(name, verb)
      hold(name, for: Self.holdAfterSuccess)
    case (.exited(0), nil):
      let state = authState(of: provider)
      backOff(name, nil, detail: "the session is still \(state.name) after it")
    default: backOff(name, attempt, detail: detail)
    }
    tellState(name)
    answerWaiting(name)
    drain(name)
    considerPhase(name)
  }

  private mutating func phaseSucceeded(_ name: ProviderName, _ verb: PhaseVerb) {
    providers[name]?.failures = 0
    effects.append(.report(.phaseSucceeded(name, verb)))
  }

  /// What the agent published about this very phase, if it came that far.
  private func attempt(of provider: Provider, since: Moment) -> Snapshot.Attempt? {
    guard case .snapshot(let snapshot) = provider.reading, let attempt = snapshot.lastAttempt,
      attempt.ended.elapsed(until: now, in: bootID) <= since.elapsed(until: now, in: bootID)
    else { return nil }
    return attempt
  }

  private func describe(_ end: PhaseEnd) -> String {
    switch end {
    case .exited(let status): "the foreground agent exited with status \(status)"
    case .failed(let detail): detail
    }
  }

  private mutating func park(_ name: ProviderName, _ detail: String) {
    providers[name]?.phase = .parked(detail)
    providers[name]?.failures = 0
    effects.append(.report(.providerParked(name, detail: detail)))
  }

  /// Exponential with full jitter between one second and 15 minutes; the server's `Retry-After` is a floor.
  private mutating func backOff(_ name: ProviderName, _ attempt: Snapshot.Attempt?, detail: String) {
    guard var provider = providers[name] else { return }
    provider.failures += 1
    let ceiling = min(Self.backoffLimit, .seconds(1 << min(provider.failures, 10)))
    let hash = StableHash.of(machineID, name.description, "\(lastSerial)", "\(now.boot.microseconds)")
    var delay = max(.seconds(1), StableHash.duration(below: ceiling, from: hash))
    if attempt?.outcome == .rejectedUnknown { delay = max(delay, Self.unknownRejectionSpacing) }
    if attempt?.outcome == .clockSuspect { delay = Self.backoffLimit }
    delay = max(delay, attempt?.retryAfter ?? .zero)
    providers[name] = provider
    hold(name, for: delay)
    effects.append(
      .report(.phaseFailed(name, attempt?.outcome, detail: detail, retryAfter: delay)))
  }

  private mutating func hold(_ name: ProviderName, for span: Duration) {
    providers[name]?.phase = .backingOff(until: now.boot + span)
    deadlines.insert(.phase(name), at: now.boot + span)
  }

  private mutating func answerWaiting(_ name: ProviderName) {
    for id in providers[name]?.waiting ?? [] { effects.append(.reply(id, .providers([name]))) }
    providers[name]?.waiting = []
  }

  // MARK: - Triggers

  /// A person, the network or a login asks for a phase now: without the backoff.
  mutating func wantPhase(_ name: ProviderName) {
    guard var provider = providers[name] else { return }
    provider.isWanted = true
    provider.phase = provider.phase.withoutWait
    provider.failures = 0
    providers[name] = provider
    considerPhase(name)
  }

  mutating func networkRestored() {
    for name in providers.keys.sorted() {
      if case .backingOff = providers[name]?.phase { providers[name]?.phase = .idle }
      providers[name]?.failures = 0
      considerPhase(name)
    }
  }

  mutating func conditionsChanged(_ conditions: Conditions) {
    let before = self.conditions
    self.conditions = conditions
    for id in constrained.sorted() {
      guard let run = runs[id] else { continue }
      let areMet = run.job.constraints.areMet(by: conditions)
      switch run.step {
      case .waiting where areMet: reconsider(run, overlap: .allow)
      case .running where !areMet && run.job.constraints.onLost == .stop: stop(run, .constraintLost)
      default: break
      }
    }
    for name in providers.keys.sorted() { drain(name) }
    if conditions.hasDefaultRoute && !before.hasDefaultRoute {
      networkRestored()
    } else {
      for name in providers.keys.sorted() { considerPhase(name) }
    }
  }
}

extension Provider.Phase {
  func mayStart(at now: Instant) -> Bool {
    switch self {
    case .idle: true
    case .backingOff(let until): until <= now
    case .running, .parked: false
    }
  }

  /// The phase after something has changed that makes waiting pointless.
  var withoutWait: Provider.Phase {
    switch self {
    case .running: self
    case .idle, .backingOff, .parked: .idle
    }
  }
}
