import AuthModel
import Glibc
import JobEngine
import LinuxPlatform
import Scheduling

extension Daemon {
  /// Everything the daemon does, one case each.
  func perform(_ effect: Effect) {
    switch effect {
    case .store: break  // committed before
    case .spawn(let launch): runs.start(launch, auth)
    case .adopt(let record): runs.adopt(record)
    case .signal(let id, let signal): runs.signal(id, signal)
    case .startPhase(let name, let verb, let phase): phases.start(name, verb, phase: phase)
    case .report(let report): tell(report)
    case .reply(let id, let result): control?.answer(id, result)
    case .exit: leave(0)
    }
  }

  private func tell(_ report: Report) {
    log.write(report.logEntry)
    if case .verdict(let record) = report { control?.verdict(record) }
    hooks.told(report, of: self)
  }

  /// The snapshot that the phase published comes before its end.
  func phaseEnded(_ name: ProviderName, _ phase: UInt64, _ end: PhaseEnd) {
    if let reading = auth.reread(name) { post(.snapshotChanged(name, reading)) }
    post(.phaseEnded(name, phase: phase, end))
  }

  // MARK: - Reload and shutdown

  /// Reads all files again. A file that has become bad keeps its last good definition.
  ///
  /// - Returns: what is wrong with the files.
  func reload() -> ConfigurationFiles {
    // The manager has been told that this is the end, and would take READY=1 for a new beginning.
    guard !engine.isLeaving else { return configuration }
    manager.reloading()
    configuration = ConfigurationFiles(folders: folders, previous: configuration)
    for entry in configuration.problems { log.write(entry) }
    watchSession()
    watchZones()
    post(.reloaded(configuration.definitions))
    auth.providers = configuration.definitions.providers.keys.sorted()
    for (name, reading) in auth.readAll() { post(.snapshotChanged(name, reading)) }
    watchTokenFiles()
    log.write(.reloaded(configuration))
    becomeReady()
    return configuration
  }

  /// With other rules the dues of a schedule are other instants.
  func zonesMayHaveChanged() {
    let known = configuration.zones
    let zones = known.reread()
    guard !engine.isLeaving else { return }
    let changes = known.changes(to: zones)
    if zones.local.name != known.local.name { log.write(.zoneChanged(zones.local.name)) }
    if !changes.isEmpty { log.write(.zonesChanged(changes)) }
    if zones.local != known.local || !changes.isEmpty || zones.problems != known.problems { _ = reload() }
  }

  /// Follows the files of the zones that are in use now.
  func watchZones() {
    let watch =
      zoneWatch
      ?? FileWatch(
        onFailure: { [weak self] error in self?.log.write(.zonesUnwatched(error)) },
        onChange: { [weak self] in self?.zonesMayHaveChanged() })
    zoneWatch = watch
    if watch.follow(configuration.zones.files) { zonesMayHaveChanged() }
  }

  func shutDown(because signal: Int32) {
    log.write(.stopping(signal: signal, running: engine.summary.running))
    manager.stopping(status: "Waiting for \(engine.summary.running.of("run")) to end")
    let grace = configuration.definitions.jobs.values.map(\.limits.grace).max() ?? .zero
    manager.extendTimeout(grace + .seconds(10))
    post(.shutdownRequested)
    // At once: a reload that waits in line must find a daemon that is leaving.
    turn()
  }

  func leave(_ status: Int32) -> Never {
    control?.close()
    exit(status)
  }

  // MARK: - Status

  /// One line for `systemctl status`.
  var statusLine: String {
    let summary = engine.summary
    var parts = ["\(summary.running) running, \(summary.deferred) deferred"]
    if let next = engine.nextDue() {
      let at = WallTime(seconds: next.at.microseconds / 1_000_000)
      parts.append("next \(next.job) at \(at.rfc3339)")
    }
    for name in engine.providerNames {
      guard let view = engine.view(of: name) else { continue }
      parts.append("\(name) \(view.state.name)")
      if engine.needsPerson(name) { parts[parts.count - 1] += " (see nightlatch auth \(name))" }
    }
    if let doubt = engine.clockDoubt { parts.insert(doubt.text(at: SystemClock.now().wall), at: 0) }
    if storeProblem != nil { parts.insert("the ledger can't be written", at: 0) }
    return parts.joined(separator: "; ")
  }
}
