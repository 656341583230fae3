import AuthModel
import Configuration
import ControlProtocol
import Glibc
import JobEngine
import JobStore
import LinuxPlatform

/// What the daemon says of itself.
extension LogEntry {
  static func started(_ folders: Folders, _ configuration: ConfigurationFiles) -> LogEntry {
    entry(
      "nightlatchd \(ServiceInfo.currentVersion) started with \(configuration.loaded.jobs.count.of("job")) and \(configuration.loaded.providers.count.of("provider")) from \(folders.configuration)",
      .daemonStarted)
  }

  static func stopping(signal: Int32, running: Int) -> LogEntry {
    let name = signal == SIGINT ? "SIGINT" : "SIGTERM"
    let rest =
      running == 0 ? "nothing is running" : "\(running.of("run")) \(running == 1 ? "is" : "are") asked to end"
    return entry("nightlatchd stops on \(name): no new work is taken, \(rest)", .daemonStopping)
  }

  static func reloaded(_ configuration: ConfigurationFiles) -> LogEntry {
    let bad = configuration.problems.filter { $0.priority == .error }.count
    let rest = bad == 0 ? "" : "; \(bad.of("mistake")) found, and the last good definitions are kept"
    return entry(
      "Configuration read again: \(configuration.loaded.jobs.count.of("job")), \(configuration.loaded.providers.count.of("provider"))\(rest)",
      .reloadDone)
  }

  static func zoneChanged(_ name: String) -> LogEntry {
    entry(
      "The machine's time zone is \(name) now: calendar dues are recomputed, none is run twice.",
      .clockStepped)
  }

  static func zonesChanged(_ names: [String]) -> LogEntry {
    entry(
      "The rules of \(names.joined(separator: ", ")) have changed: calendar dues are recomputed, none is run twice.",
      .clockStepped)
  }

  static func zoneProblem(_ sentence: String) -> LogEntry { entry(sentence, .configurationProblem, .error) }

  static func zonesUnwatched(_ error: PlatformError) -> LogEntry {
    zoneProblem("\(error); an update of the time zones is noticed at the next reload")
  }

  static func tokenFileUnwatched(_ name: ProviderName, _ error: PlatformError) -> LogEntry {
    LogEntry(
      "\(name): \(error); a rotation of its token file is noticed at the next foreground phase",
      priority: .warning, messageID: MessageID.tokenFileUnwatched.rawValue,
      fields: [("NIGHTLATCH_PROVIDER", name.description)])
  }

  static func storeStalled(_ error: StoreError) -> LogEntry {
    entry(
      "\(error) Nothing is started until it can be written; it is tried again.", .storeStalled, .error)
  }

  static func hookFailed(_ hook: SessionHook, _ name: ProviderName, _ why: String) -> LogEntry {
    LogEntry(
      "\(name): the hook \(hook.rawValue) failed: \(why). It is not repeated.", priority: .warning,
      messageID: MessageID.hookFailed.rawValue, fields: [("NIGHTLATCH_PROVIDER", name.description)])
  }

  static let storeRecovered = entry("The ledger can be written again; work goes on.", .storeRecovered)

  static func storeBroken(_ error: StoreError) -> LogEntry {
    entry("\(error) The daemon can't go on and leaves.", .storeBroken, .error)
  }

  /// - Parameter isKept: whether an earlier good definition of the file is still in use.
  init(diagnostic: Configuration.Diagnostic, isKept: Bool) {
    let rest = isKept ? "the last good definition stays in use" : "it is not used"
    let text = diagnostic.severity == .error ? "\(diagnostic); \(rest)" : "\(diagnostic)"
    self.init(
      text, priority: diagnostic.severity == .error ? .error : .warning,
      messageID: MessageID.configurationProblem.rawValue,
      fields: [("NIGHTLATCH_FILE", diagnostic.path)])
  }

  private static func entry(_ text: String, _ id: MessageID, _ priority: Priority = .notice) -> LogEntry {
    LogEntry(text, priority: priority, messageID: id.rawValue)
  }
}
