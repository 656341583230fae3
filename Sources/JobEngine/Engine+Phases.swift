import AuthModel
import Scheduling

/// Foreground phases: when they start, and what their end means.
extension Engine {
  static let shortestBackoff = Duration.seconds(1)
  static let backoffLimit = Duration.seconds(15 * 60)
  /// A refusal that nobody understands is tried this often, spaced, before the provider is parked.
  static let unknownRejectionTries = 3
  static let unknownRejectionSpacing = Duration.seconds(5 * 60)
  /// How long after a phase that succeeded, and yet was not enough, the next one waits.
  static let holdAfterSuccess = Duration.seconds(15)
  /// The agent's exit status when it keeps the session but will not spend its refresh token again (EX_NOPERM).
  static let loginNeeded: Int32 = 77

  /// Starts a phase if something needs one and nothing forbids it.
  mutating func considerPhase(_ name: ProviderName) {
    guard var provider = providers[name], !isStopping, !conditions.isGoingDown,
      provider.definition.fileProblem == nil, provider.phase.mayStart(at: now.boot)
    else { return }
    // A wish can't be met without a session, and a login will meet it.
    if case .unauthenticated = authState(of: provider) { providers[name]?.isWanted = false }
    guard let verb = neededVerb(provider), verb == .publish || hasRoute(provider) else { return }
    if verb == .refresh, !provider.isWanted, let rest = restAfterToken(provider) {
      return hold(name, for: rest)
    }
    let phase = nextSerial()
    provider.phase = .running(phase: phase, verb, since: moment)
    provider.phaseBegan = now.boot
    if verb == .refresh { provider.isWanted = false }
    providers[name] = provider
    effects.append(.report(.phaseStarted(name, verb)))
    effects.append(.startPhase(name, verb, phase: phase))
  }

  /// How long a valid token must be looked at before another is obtained because it is too short: tokens that
  /// never live long enough cost one refresh in so long a time, however often jobs are due.
  private func restAfterToken(_ provider: Provider) -> Duration? {
    guard case .authenticated = authState(of: provider), let present = provider.present else { return nil }
    let age = present.obtained.elapsed(until: now, in: bootID)
    return age < Self.holdAfterSuccess ? Self.holdAfterSuccess - age : nil
  }

  private func restAfterPhase(_ provider: Provider) -> Duration? {
    guard let began = provider.phaseBegan, now.boot < began + Self.shortestBackoff else { return nil }
    return began + Self.shortestBackoff - now.boot
  }

  private func hasRoute(_ provider: Provider) -> Bool {
    conditions.hasDefaultRoute || provider.definition.isLocal
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
    if isKeepAliveDue(provider) { return true }
    if case .authenticated = authState(of: provider) {
      return isTokenTooShort(provider)
    }
    return provider.awaitedCount > 0
  }

  /// Whether a valid token keeps work from starting, now or soon: entries that wait for a longer one, or
  /// a due before the renewed token would be needed.
  private func isTokenTooShort(_ provider: Provider) -> Bool {
    guard let left = timeLeft(of: provider), let present = provider.present, provider.drain == nil
    else { return false }
    if provider.awaitedCount == 0 {
      let lead = lead(of: provider)
      return left <= lead && isWorkDueSoon(provider, within: left + lead)
    }
    guard left < provider.longestWanted else { return false }
    return shares.contains { id, share in
      guard share.provider == provider.definition.name, let job = jobs[id],
        job.definition.auth.requires == .verified, left < job.definition.auth.minTokenLifetime,
        job.active.isEmpty, !job.progress.isPaused, !isParked(id, at: provider),
        job.definition.constraints.areMet(by: conditions)
      else { return false }
      // A token that was obtained for the entry is as long as they get: another would be no longer.
      return !isHardlyLongEnough(provider, job.definition.auth)
        || share.latest?.deferred.map { !isLater(present.obtained, than: $0) } ?? true
    }
  }

  /// Whether a verified session is refreshed for its age alone.
  private func isOnlyKeptAlive(_ provider: Provider) -> Bool {
    guard case .authenticated = authState(of: provider) else { return false }
    return isKeepAliveDue(provider) && !isTokenTooShort(provider)
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
    let attempt = attempt(of: provider, since: since)
    provider.unknownRejections = attempt?.outcome == .rejectedUnknown ? provider.unknownRejections + 1 : 0
    providers[name] = provider
    let detail = attempt?.detail ?? describe(end)
    switch (end, attempt?.outcome) {
    case (_, .definite) where provider.present == nil, (_, .lostRotation) where provider.present == nil:
      providers[name]?.failures = 0
      effects.append(
        .report(.phaseFailed(name, attempt?.outcome, detail: detail, retryAfter: nil)))
    case (_, .configuration): park(name, detail)
    case (.exited(Self.loginNeeded), let outcome) where provider.present != nil && outcome != .definite:
      park(name, detail, needsLogin: true)
    case (_, .rejectedUnknown) where provider.unknownRejections >= Self.unknownRejectionTries:
      park(name, detail)
    case (.exited(0), _) where neededVerb(provider) != verb: phaseSucceeded(name, verb)
    case (.exited(0), let outcome?) where outcome.isSuccess:
      phaseSucceeded(name, verb)
      hold(name, for: Self.holdAfterSuccess)
    case (.exited(0), nil) where isOnlyKeptAlive(provider):
      keptAlive(name)
      phaseSucceeded(name, verb)
    case (.exited(0), nil):
      let state = authState(of: provider)
      backOff(name, nil, detail: "the session is still \(state.name) after it")
    default: backOff(name, attempt, detail: detail)
    }
    if attempt?.outcome == .spentToken { effects.append(.report(.spentTokenReturned(name, detail: detail))) }
    tellState(name)
    drain(name)
    considerPhase(name)
    // A publication may be followed by the refresh that was asked for.
    if providers[name]?.isPhaseRunning != true { answerWaiting(name) }
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

  private mutating func park(_ name: ProviderName, _ detail: String, needsLogin: Bool = false) {
    providers[name]?.phase = .parked(detail)
    providers[name]?.failures = 0
    effects.append(.report(.providerParked(name, detail: detail, needsLogin: needsLogin)))
  }

  /// Exponential with full jitter between one second and 15 minutes; the server's `Retry-After` is a floor.
  private mutating func backOff(_ name: ProviderName, _ attempt: Snapshot.Attempt?, detail: String) {
    guard var provider = providers[name] else { return }
    provider.failures += 1
    let ceiling = min(Self.backoffLimit, .seconds(1 << min(provider.failures, 10)))
    let hash = StableHash.of(machineID, name.description, "\(lastSerial)", "\(now.boot.microseconds)")
    var delay = max(Self.shortestBackoff, StableHash.duration(below: ceiling, from: hash))
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

  mutating func answerWaiting(_ name: ProviderName) {
    let wishes = providers[name]?.waiting ?? []
    providers[name]?.waiting = []
    for wish in wishes where !providers.values.contains(where: { $0.waiting.contains(wish) }) {
      effects.append(.reply(wish.request, .providers(wish.asked)))
    }
  }

  // MARK: - Triggers

  /// A person, the network or a login asks for a phase now: without the backoff.
  mutating func wantPhase(_ name: ProviderName) {
    guard var provider = providers[name] else { return }
    if case .running(_, .refresh, _) = provider.phase { return }
    provider.wantNow()
    providers[name] = provider
    considerPhase(name)
  }

  /// Another token is there to be taken. A phase that is under way may have come too early for it, and what was
  /// wrong before may be mended; but however often it is rotated, a token that was obtained is left alone for a while,
  /// and one that is no good is not looked at more than once in a second.
  mutating func tokenRotated(_ name: ProviderName) {
    guard var provider = providers[name] else { return }
    provider.wantNow()
    providers[name] = provider
    if !provider.isPhaseRunning, let rest = restAfterToken(provider) ?? restAfterPhase(provider) {
      return hold(name, for: rest)
    }
    considerPhase(name)
  }

  /// A program waits for a token. The backoff holds for it: nobody is there to judge that it is over.
  mutating func wantToken(_ name: ProviderName) {
    if case .running(_, .refresh, _) = providers[name]?.phase { return }
    providers[name]?.isWanted = true
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
    judgeDoubtedClock()
    for id in constrained.sorted() {
      guard let run = runs[id] else { continue }
      let areMet = run.job.constraints.areMet(by: conditions)
      switch run.step {
      case .waiting where areMet && !isStopping: reconsider(run, overlap: .allow)
      case .running where isConstraintLost(run): stop(run, .constraintLost)
      default: break
      }
    }
    for name in providers.keys.sorted() { drain(name) }
    if conditions.hasDefaultRoute && !before.hasDefaultRoute || before.isGoingDown && !conditions.isGoingDown
    {
      networkRestored()
    } else {
      for name in providers.keys.sorted() { considerPhase(name) }
    }
  }
}

extension Provider {
  /// A phase is wanted, and what made it wait counts no more.
  fileprivate mutating func wantNow() {
    isWanted = true
    phase = phase.withoutWait
    failures = 0
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
