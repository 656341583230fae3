import AuthModel
import Scheduling

/// Auth states: what background work may assume, and what follows when it changes.
extension Engine {
  /// A token this close to its end is renewed for work that is due soon; a short-lived one, in the last third
  /// of its life.
  static let renewalLead = Duration.seconds(60)

  /// What background work may assume. A generation that a service refused is worth no more than none.
  func authState(of provider: Provider?) -> AuthState {
    guard let provider else { return .notReady(.noSnapshot) }
    switch provider.reading {
    case .notReady(let reason): return .notReady(reason)
    case .snapshot(let snapshot):
      let state = snapshot.authState(at: now, in: bootID)
      guard case .authenticated(let user) = state, isPresent(provider.suspect, provider) else { return state }
      return .authenticatedUnverified(user)
    }
  }

  /// Whether the token that was refused is the one that is there, or a later one. One that was obtained after
  /// the refusal is another, whatever its number: a store that was lost counts anew.
  private func isPresent(_ refusal: TokenRefusal?, _ provider: Provider) -> Bool {
    guard let refusal, refusal.provider == provider.definition.name, let present = provider.present else {
      return false
    }
    return present.tokenGeneration <= refusal.generation && isLater(refusal.at, than: present.obtained)
  }

  /// Whether the job's runs wait for another token than the one that is there, and ask for none.
  func isParked(_ id: JobID, at provider: Provider?) -> Bool {
    guard let provider, provider.present != nil else { return false }
    return provider.parked.contains(id)
  }

  /// A refusal of a token that has been replaced by now parks nobody. Without a session the token may come back.
  mutating func park(_ id: JobID, _ refusal: TokenRefusal) {
    let name = refusal.provider
    guard let provider = providers[name], provider.present == nil || isPresent(refusal, provider) else {
      return
    }
    providers[name]?.parkedAt = refusal
    guard providers[name]?.parked.insert(id).inserted == true else { return }
    let count = entryCount(of: id, at: name)
    providers[name]?.awaitedCount -= count
  }

  mutating func unpark(_ id: JobID, at name: ProviderName) {
    guard providers[name]?.parked.remove(id) != nil else { return }
    let count = entryCount(of: id, at: name)
    providers[name]?.awaitedCount += count
  }

  /// Another token is there, or this one is to be tried again.
  mutating func unparkAll(at name: ProviderName) {
    for id in providers[name]?.parked ?? [] { unpark(id, at: name) }
    providers[name]?.parkedAt = nil
  }

  private func entryCount(of id: JobID, at name: ProviderName) -> Int {
    guard let share = shares[id], share.provider == name, jobs[id] != nil else { return 0 }
    return share.count
  }

  func timeLeft(of provider: Provider?) -> Duration? {
    guard let present = provider?.present else { return .zero }
    return present.tokenTimeLeft(at: now, in: bootID)
  }

  /// Whether the provider's tokens never live as long as the job wants, and this one was obtained for it.
  func isFresh(_ provider: Provider?, for run: OpenRun) -> Bool {
    guard let present = provider?.present, let deferred = run.record.deferred else { return false }
    return isHardlyLongEnough(provider, run.job.auth) && isLater(present.obtained, than: deferred)
  }

  /// Whether the best token there can be is too short, or is by the time it has come.
  func isHardlyLongEnough(_ provider: Provider?, _ auth: AuthPolicy) -> Bool {
    guard let lifetime = provider?.present?.lifetime else { return false }
    return lifetime < auth.minTokenLifetime + lead(of: provider)
  }

  /// A token was refused. It is not handed out again, and replaced once: when the one that replaced it is
  /// refused as well, and no service has accepted that, the tokens are not what is wrong.
  ///
  /// - Returns: whether the token is worth no more than none, so that another takes its place.
  @discardableResult mutating func suspect(_ refusal: TokenRefusal) -> Bool {
    // There is none of a provider whose file is gone; another token comes with the file.
    guard let provider = providers[refusal.provider] else { return true }
    let last = provider.suspect?.generation ?? 0
    guard refusal.generation > last else { return true }
    if last > 0, refusal.generation - 1 == last, provider.acceptedToken != refusal.generation { return false }
    providers[refusal.provider]?.suspect = refusal
    return true
  }

  mutating func snapshotChanged(_ name: ProviderName, _ reading: SnapshotReading) {
    guard var provider = providers[name], provider.reading != reading else { return }
    let before = provider.present?.tokenGeneration
    provider.reading = reading
    // A login, or another process, was luckier than our phases.
    if let generation = provider.present?.tokenGeneration, before.map({ $0 < generation }) ?? true {
      provider.phase = provider.phase.withoutWait
      provider.failures = 0
    }
    providers[name] = provider
    if provider.present != nil, !isPresent(provider.parkedAt, provider) { unparkAll(at: name) }
    snapshotRead(name)
  }

  /// What follows from the snapshot that is there now.
  mutating func snapshotRead(_ name: ProviderName) {
    armTokenExpiry(name)
    drain(name)
    stateMayHaveChanged(name)
  }

  /// Told last: a phase that starts now may change it again.
  mutating func stateMayHaveChanged(_ name: ProviderName) {
    considerPhase(name)
    warnOfEnd(name)
    tellState(name)
  }

  /// Tells people when the state has another name than the one they were told last.
  mutating func tellState(_ name: ProviderName) {
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

  mutating func armTokenExpiry(_ name: ProviderName) {
    var instants = ageReminders(of: providers[name])
    if let left = timeLeft(of: providers[name]), left > .zero {
      instants += [now.boot + max(.zero, left - lead(of: providers[name])), now.boot + left]
    }
    providers[name]?.expiryReminders = Set(instants)
    for instant in instants { deadlines.insert(.tokenExpiry(name), at: instant) }
  }

  func lead(of provider: Provider?) -> Duration {
    min(Self.renewalLead, (provider?.present?.lifetime ?? .zero) / 3)
  }

  func isLater(_ left: Moment, than right: Moment) -> Bool {
    left.elapsed(until: now, in: bootID) <= right.elapsed(until: now, in: bootID)
  }
}
