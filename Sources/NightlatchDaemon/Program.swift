import AuthCache
import Configuration
import ControlProtocol
import Dispatch
import Glibc
import JobEngine
import JobStore
import LinuxPlatform
import Scheduling

/// `nightlatchd` from its arguments to its main loop.
public enum Program {
  public static func run(_ arguments: [String]) -> Never {
    SignalWatch.ignoreBrokenPipes()
    OpenFileLimit.raise()
    let folders = folders(arguments)
    let log = LogSink.detect(identifier: "nightlatchd")
    var daemon: Daemon?
    // Before any other thread exists, so that no signal can act before its source listens.
    let signals = SignalWatch.termination { received($0, daemon) }
    do {
      let running = try start(folders, log)
      running.watches.append(signals)
      daemon = running
    } catch {
      log.write(LogEntry("nightlatchd cannot start: \(error)", priority: .error))
      exit(status(for: error))
    }
    dispatchMain()
  }

  private static func received(_ signal: Int32, _ daemon: Daemon?) {
    guard let daemon else { exit(0) }
    if signal == SIGHUP { _ = daemon.reload() } else { daemon.shutDown(because: signal) }
  }

  // MARK: - Start

  private static func start(_ folders: Folders, _ log: LogSink) throws -> Daemon {
    let manager = ServiceManager()
    try folders.ensure(group: folders.mode == .system ? "nightlatch" : nil)
    let lock = try StateLock(folders: folders)
    let ledger = try Ledger(path: folders.ledger)
    let recovery = try ledger.recover()
    let orphans = try Orphans()
    let configuration = ConfigurationFiles(folders: folders)
    for entry in configuration.problems { log.write(entry) }
    let daemon = Daemon(
      folders: folders, log: log, manager: manager, ledger: ledger, bootID: try SystemClock.bootID(),
      configuration: configuration, orphans: orphans)
    daemon.watches += [lock, orphans] + (try watch(daemon))
    try daemon.start(conditions: daemon.conditions, recovery: recovery)
    daemon.control = try ControlServer(daemon: daemon, socket: manager.listenSockets.first)
    log.write(.started(folders, configuration))
    daemon.becomeReady()
    daemon.watchZones()
    daemon.watchTokenFiles()
    return daemon
  }

  private static func watch(_ daemon: Daemon) throws(PlatformError) -> [AnyObject] {
    let clock = try ClockWatch { [weak daemon] in daemon?.clockWasSet() }
    let auth = try DirectoryWatch(folder: daemon.folders.auth) { [weak daemon] _ in
      daemon?.auth.reopen()
      daemon?.post(.woke)
    }
    daemon.watchConditions()
    return [clock, auth]
  }

  // MARK: - Arguments and exit status

  private static func folders(_ arguments: [String]) -> Folders {
    do {
      let (folders, rest) = try Folders.parse(Array(arguments.dropFirst()))
      switch rest.first {
      case nil: return folders
      case "--help", "-h": leave(usage, 0)
      case "--version": leave("nightlatchd \(ServiceInfo.currentVersion)", 0)
      case let unknown?: leave("nightlatchd: '\(unknown)' is not an option.\n\(usage)", 64)
      }
    } catch {
      leave("nightlatchd: \(error)", 64)
    }
  }

  private static func leave(_ text: String, _ status: Int32) -> Never {
    let line = Array((text + "\n").utf8)
    _ = write(status == 0 ? 1 : 2, line, line.count)
    exit(status)
  }

  /// sysexits(3): what a restart could mend is not 78.
  private static func status(for error: any Error) -> Int32 {
    switch error {
    case let error as StoreError: error.isTransient ? 75 : 70
    case PlatformError.folderInUse: 75
    case PlatformError.unsafePath: 78
    default: 71
    }
  }

  private static let usage = """
    usage: nightlatchd [--user | --system] [--config DIR] [--state DIR] [--runtime DIR]

    Runs the jobs of DIR/jobs.d on their schedules, in the foreground, until SIGTERM or SIGINT.
    SIGHUP reads the configuration again. See nightlatchd(8).

      --user         your own jobs: ~/.config/nightlatch (default unless root)
      --system       the machine's jobs: /etc/nightlatch (default for root)
      --config DIR   configuration instead of the default folder (NIGHTLATCH_CONFIG)
      --state DIR    ledger and sessions (NIGHTLATCH_STATE)
      --runtime DIR  control socket and auth cache (NIGHTLATCH_RUNTIME)
      --version      print the version
    """
}
