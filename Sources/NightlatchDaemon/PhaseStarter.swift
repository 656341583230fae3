import AuthModel
import Glibc
import JobEngine
import LinuxPlatform

/// Starts the foreground agent: as a unit of its own where a service manager started the daemon, so that
/// stopping the daemon does not touch it; else as a process in a session of its own.
final class PhaseStarter {
  var onEnd: (ProviderName, UInt64, PhaseEnd) -> Void = { _, _, _ in }

  private let folders: Folders
  private let log: LogSink
  private let bus: Bus?
  private var agents: [UInt64: (child: ChildProcess, readers: [OutputReader])] = [:]

  init(folders: Folders, log: LogSink, isUnit: Bool) {
    self.folders = folders
    self.log = log
    bus = isUnit ? Bus(folders.mode == .system ? .system : .user) : nil
  }

  /// Whether this process is a unit of a service manager that can start others (systemd.exec(5),
  /// INVOCATION_ID).
  static func isUnit(_ manager: ServiceManager) -> Bool {
    manager.isPresent && getenv("INVOCATION_ID") != nil
  }

  func start(_ name: ProviderName, _ verb: PhaseVerb, phase: UInt64) {
    if let bus { startUnit(bus, name, verb, phase) } else { startProcess(name, verb, phase) }
  }

  // MARK: - As a unit

  private func startUnit(_ bus: Bus, _ name: ProviderName, _ verb: PhaseVerb, _ phase: UInt64) {
    let unit =
      switch verb {
      case .publish: "nightlatch-publish@\(UnitName.escape(name.description)).service"
      case .refresh: "nightlatch-foreground@\(UnitName.escape(name.description)).service"
      }
    bus.startUnit(unit) { [weak self] answer in
      let end: PhaseEnd =
        switch answer {
        case .success("done"): .exited(0)
        case .success(let result): .failed("\(unit) ended with the result '\(result)'")
        case .failure(let error): .failed(error.description)
        }
      self?.onEnd(name, phase, end)
    }
  }

  // MARK: - As a process

  private func startProcess(_ name: ProviderName, _ verb: PhaseVerb, _ phase: UInt64) {
    do throws(PlatformError) {
      let child = try ChildProcess.spawn(spec(name, verb))
      let fields = [(name: "NIGHTLATCH_PROVIDER", value: name.description)]
      let readers = [child.output, child.errors].compactMap { $0 }.map { fd in
        OutputReader(owning: fd) { [log] in
          log.write(LogEntry(bytes: $0, priority: .info, fields: fields))
        }
      }
      agents[phase] = (child, readers)
      child.onExit = { [weak self] in self?.ended(name, phase, $0) }
    } catch {
      let detail = error.description
      Later.run { [weak self] in self?.onEnd(name, phase, .failed(detail)) }
    }
  }

  private func spec(_ name: ProviderName, _ verb: PhaseVerb) -> LaunchSpec {
    // Whole, as a unit of its own would find its own: a proxy, a home, the key's folder.
    let environment = Folders.currentEnvironment().sorted { $0.key < $1.key }
    return LaunchSpec(
      command: [OwnPrograms.path(of: "nightlatch-foreground"), verb.rawValue, name.description]
        + folders.options,
      environment: environment.map { ($0.key, $0.value) })
  }

  private func ended(_ name: ProviderName, _ phase: UInt64, _ exit: ProcessExit) {
    guard let agent = agents.removeValue(forKey: phase) else { return }
    for reader in agent.readers { reader.close() }
    let end: PhaseEnd =
      switch exit {
      case .exited(let status): .exited(status)
      case .signalled(let signal): .failed("the foreground agent was killed by signal \(signal)")
      case .unknown: .failed("the foreground agent's exit status is unknown")
      }
    onEnd(name, phase, end)
  }
}
