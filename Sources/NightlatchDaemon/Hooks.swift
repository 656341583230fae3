import AuthModel
import Glibc
import JobEngine
import LinuxPlatform
import Scheduling

/// The commands that an administrator wants to be run about sessions.
///
/// A child like a run: a session of its own, no file of ours, an environment without a secret, its output in
/// the log. Unlike a run it has no record: a hook that fails is told once and forgotten.
final class Hooks {
  /// Longer than a mail server takes that has to be tried twice.
  private static let timeLimit = Duration.seconds(60)

  private let folders: Folders
  private let log: LogSink
  private let stamps: HookStamps
  private var running: [Key: (child: ChildProcess, readers: [OutputReader], until: Instant)] = [:]
  /// What came up too soon after the last time.
  private var held: [Key: (reason: String, until: Instant)] = [:]

  private struct Key: Hashable {
    var hook: SessionHook
    var provider: ProviderName
  }

  init(folders: Folders, log: LogSink) {
    self.folders = folders
    self.log = log
    stamps = HookStamps(folders: folders)
  }

  // MARK: - What they are run for

  /// Takes note of what people are told, and starts what is wanted then.
  func told(_ report: Report, of daemon: Daemon) {
    switch report {
    // Whoever has logged out knows.
    case .loginRequired(_, .loggedOut, _): break
    case .loginRequired(let name, let reason, _):
      if reason == .rejected || reason == .lostRotation { want(.sessionLost, name, "\(reason)", daemon) }
      want(.loginRequired, name, "\(reason)", daemon)
    case .providerParked(let name, let detail, needsLogin: true): want(.loginRequired, name, detail, daemon)
    default: break
    }
  }

  private func want(_ hook: SessionHook, _ name: ProviderName, _ reason: String, _ daemon: Daemon) {
    guard let command = daemon.hookCommand(hook, of: name) else { return }
    let now = SystemClock.now()
    let key = Key(hook: hook, provider: name)
    let wait = stamps.wait(for: hook, of: name, at: now)
    guard wait == .zero, running[key] == nil else {
      held[key] = (reason, now.boot + max(wait, .seconds(1)))
      return
    }
    held[key] = nil
    stamps.started(hook, of: name, at: now)
    start(key, command, reason, now)
  }

  // MARK: - Time

  /// Starts what was held back and is still true, and ends what takes too long. Called in each turn.
  func look(at now: Now, of daemon: Daemon) {
    for (key, entry) in running where entry.until <= now.boot {
      running[key]?.until = now.boot + Self.timeLimit
      entry.child.signal(SIGKILL)
    }
    for (key, entry) in held where entry.until <= now.boot {
      held[key] = nil
      if daemon.engine.needsPerson(key.provider) { want(key.hook, key.provider, entry.reason, daemon) }
    }
  }

  /// When there is something to look at.
  var deadline: Instant? { (held.values.map(\.until) + running.values.map(\.until)).min() }

  // MARK: - Processes

  private func start(_ key: Key, _ command: [String], _ reason: String, _ now: Now) {
    let fields = [
      (name: "NIGHTLATCH_PROVIDER", value: key.provider.description),
      (name: "NIGHTLATCH_HOOK", value: key.hook.rawValue),
    ]
    do throws(PlatformError) {
      let child = try ChildProcess.spawn(
        LaunchSpec(
          command: command,
          environment: RunEnvironment.basis(of: Account.current(), folders) + fields + [
            ("NIGHTLATCH_REASON", reason)
          ], workingFolder: "/"))
      let readers = [child.output, child.errors].compactMap { $0 }.map { fd in
        OutputReader(owning: fd) { [log] in
          log.write(LogEntry(bytes: $0, priority: .info, fields: fields))
        }
      }
      running[key] = (child, readers, now.boot + Self.timeLimit)
      child.onExit = { [weak self] in self?.ended(key, $0) }
    } catch {
      log.write(.hookFailed(key.hook, key.provider, error.description))
    }
  }

  private func ended(_ key: Key, _ exit: ProcessExit) {
    for reader in running.removeValue(forKey: key)?.readers ?? [] { reader.close() }
    switch exit {
    case .exited(0): break
    case .exited(let status):
      log.write(.hookFailed(key.hook, key.provider, "it exited with status \(status)"))
    case .signalled(let signal):
      log.write(.hookFailed(key.hook, key.provider, "it was killed by signal \(signal)"))
    case .unknown: log.write(.hookFailed(key.hook, key.provider, "its exit status is unknown"))
    }
  }
}

extension Daemon {
  /// The provider's own command, or the daemon's for all.
  fileprivate func hookCommand(_ hook: SessionHook, of name: ProviderName) -> [String]? {
    configuration.definitions.providers[name]?.hooks[hook] ?? configuration.definitions.settings.hooks[hook]
  }
}
