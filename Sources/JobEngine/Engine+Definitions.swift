import AuthModel
import Scheduling

/// Start, recovery and reload.
extension Engine {
  mutating func start(
    _ definitions: Definitions, _ recovery: Recovery, _ readings: [ProviderName: SnapshotReading]
  ) {
    settings = definitions.settings
    for (name, definition) in definitions.providers {
      providers[name] = Provider(definition: definition)
      if let reading = readings[name] { providers[name]?.reading = reading }
    }
    for refusal in recovery.refusals { suspect(refusal) }
    for (id, summary) in recovery.deferred {
      shares[id] = QueueShare(
        provider: summary.provider, count: summary.count, latest: summary.latest)
    }
    retired = recovery.progress
    judgeClock()
    for id in definitions.jobs.keys.sorted() {
      definitions.jobs[id].map { adopt($0, recovery.progress[id]) }
    }
    retired = retired.filter { jobs[$0.key] == nil }
    measureWants()
    settleShares()
    expire(at: recovery.nextExpiry)
    for record in recovery.open.sorted(by: { ($0.dueAt, $0.id) < ($1.dueAt, $1.id) }) { resume(record) }
    for id in jobs.keys.sorted() {
      rewind(id)
      arm(id)
      admitQueued(id)
    }
    for name in providers.keys.sorted() { snapshotRead(name) }
  }

  /// Takes a job in. One that the ledger has never seen begins now: nothing before this moment is missed.
  private mutating func adopt(_ definition: JobDefinition, _ known: JobProgress?) {
    let progress = known ?? JobProgress(calendarThrough: now.wall)
    var job = Job(definition: definition, progress: progress, machineID: machineID)
    // A file that comes back may find a run from before it went away.
    job.active = runs.values.filter { $0.record.job == definition.id }.map(\.id)
    job.beginsWhenBelieved = known == nil && clockDoubt != nil
    jobs[definition.id] = job
    if known == nil, clockDoubt == nil { write(.saveProgress(definition.id, progress)) }
  }

  /// Counts each provider's entries. Those of a job that has another provider now follow it there; those of
  /// a job whose file is gone ask for nothing.
  private mutating func settleShares() {
    for name in providers.keys {
      providers[name]?.deferredCount = 0
      providers[name]?.awaitedCount = 0
    }
    for id in shares.keys.sorted() {
      guard var share = shares[id], let job = jobs[id] else { continue }
      if let name = job.definition.auth.provider, name != share.provider {
        share.provider = name
        share.latest?.provider = name
        shares[id] = share
        write(.moveEntries(id, name))
      }
      countEntries(of: id, at: share.provider, by: share.count)
    }
  }

  /// Notes for each provider the longest token that one of its jobs wants.
  private mutating func measureWants() {
    var longest: [ProviderName: Duration] = [:]
    for auth in jobs.values.lazy.map(\.definition.auth) where auth.requires == .verified {
      guard let name = auth.provider else { continue }
      longest[name] = max(longest[name] ?? .zero, auth.minTokenLifetime)
    }
    for name in providers.keys { providers[name]?.longestWanted = longest[name] ?? .zero }
  }

  // MARK: - Recovery

  /// Goes on with a run that an earlier daemon left open. Evidence decides what became of its process.
  private mutating func resume(_ record: RunRecord) {
    guard let job = jobs[record.job]?.definition else { return abandon(record) }
    var run = OpenRun(record: record, job: job, step: .queued)
    switch record.state {
    case .starting, .running:
      run.step = .adopting
      keep(run)
      if isOfEarlierBoot(record) {
        lost(record.id, record.attempt)
      } else {
        effects.append(.adopt(record))
      }
    case .retrying:
      let delay = job.retry.delay(after: record.failures, run: record.id)
      let until = deadline(delay, since: record.ended ?? record.created)
      run.step = .retrying(until: until)
      deadlines.insert(.retry(record.id), at: until)
      keep(run)
    case .waiting:
      keep(run)
      reconsider(run, overlap: .allow)
    default:
      // Queued: admitted once every run that was begun is known.
      keep(run)
    }
  }

  private func isOfEarlierBoot(_ record: RunRecord) -> Bool {
    (record.process?.bootID ?? record.started?.bootID).map { $0 != bootID } ?? false
  }

  /// The job file is gone: nothing is started for it any more. A process that is still there is ended.
  private mutating func abandon(_ record: RunRecord) {
    let gone = JobDefinition(id: record.job, command: .shell("false"))
    var run = OpenRun(record: record, job: gone, step: .queued)
    guard record.state == .starting || record.state == .running, !isOfEarlierBoot(record) else {
      keep(run)
      return settle(run, as: .cancelled, .noDefinition)
    }
    run.step = .adopting
    run.stopRequested = .noDefinition
    keep(run)
    effects.append(.adopt(record))
  }

  // MARK: - Reload

  /// Takes the new definitions. Runs go on with the definition they were made from, no due is made twice,
  /// and what a job or provider was doing is kept.
  mutating func reload(_ definitions: Definitions) {
    let isTrustChanged = definitions.settings.clockTrust != settings.clockTrust
    settings = definitions.settings
    if isTrustChanged { judgeClock() }
    reloadProviders(definitions.providers)
    for name in providers.keys { unparkAll(at: name) }
    for id in jobs.keys.sorted() where definitions.jobs[id] == nil { remove(id) }
    for id in definitions.jobs.keys.sorted() {
      guard let definition = definitions.jobs[id] else { continue }
      guard let old = jobs[id] else {
        adopt(definition, comeBack(id))
        jobs[id]?.beginsWhenBelieved = clockDoubt != nil
        rewind(id)
        arm(id)
        admitQueued(id)
        continue
      }
      guard old.definition != definition else { continue }
      jobs[id] = changed(old, definition)
      rewind(id)
      arm(id)
      admitQueued(id)
    }
    measureWants()
    settleShares()
    for name in providers.keys.sorted() {
      drain(name)
      considerPhase(name)
    }
  }

  /// What a job whose file is back had reached. What passed meanwhile was not due.
  private mutating func comeBack(_ id: JobID) -> JobProgress? {
    guard var progress = retired.removeValue(forKey: id) else { return nil }
    progress.calendarThrough = max(progress.calendarThrough, now.wall)
    return progress
  }

  /// The same job under a changed definition. A changed calendar counts from now: its past was never due.
  private func changed(_ old: Job, _ definition: JobDefinition) -> Job {
    var progress = old.progress
    let isCalendarNew = !definition.schedule.hasCalendars(of: old.definition.schedule)
    if isCalendarNew { progress.calendarThrough = max(progress.calendarThrough, now.wall) }
    var job = Job(definition: definition, progress: progress, machineID: machineID)
    job.beginsWhenBelieved = old.beginsWhenBelieved || (isCalendarNew && clockDoubt != nil)
    job.active = old.active
    return job
  }

  private mutating func remove(_ id: JobID) {
    guard let job = jobs.removeValue(forKey: id) else { return }
    retired[id] = job.progress
    for runID in job.active {
      guard let run = runs[runID], !run.hasProcess, run.step != .stamping else { continue }
      settle(run, as: .cancelled, .noDefinition)
    }
  }

  /// A reload is a new chance for a parked provider: its file may have been mended.
  private mutating func reloadProviders(_ definitions: [ProviderName: ProviderDefinition]) {
    for (name, definition) in definitions {
      var provider = providers[name] ?? Provider(definition: definition)
      provider.definition = definition
      if case .parked = provider.phase { provider.phase = .idle }
      providers[name] = provider
    }
    for name in providers.keys.sorted() where definitions[name] == nil {
      answerWaiting(name)
      providers[name] = nil
    }
  }
}

extension Schedule {
  /// Whether wall-clock dues are at the same times.
  fileprivate func hasCalendars(of other: Schedule) -> Bool {
    calendars == other.calendars && zone == other.zone && daylightSaving == other.daylightSaving
  }
}
