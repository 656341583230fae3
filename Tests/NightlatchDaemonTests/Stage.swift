import AuthCache
import AuthModel
import Glibc
import JobEngine
import JobStore
import Scheduling

@testable import LinuxPlatform
@testable import NightlatchDaemon

/// A daemon in this process, on folders that are thrown away. It must never be asked to leave.
final class Stage {
  let path: String
  let folders: Folders

  init() throws {
    var template = Array("/tmp/nightlatch-daemon-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw PlatformError.last("create a temporary folder") }
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    folders = Folders(
      mode: .user, configuration: "\(path)/config", vendor: nil, state: "\(path)/state",
      runtime: "\(path)/runtime")
    try folders.ensure()
    for folder in ["config", "config/jobs.d", "config/providers.d"] { mkdir("\(path)/\(folder)", 0o700) }
  }

  isolated deinit { FileTree.remove(path) }

  // MARK: - Files

  func write(_ name: String, _ text: String, mode: mode_t = 0o600) throws {
    let fd = open("\(path)/\(name)", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
    guard fd >= 0 else { throw PlatformError.last("create \(name)") }
    defer { close(fd) }
    let bytes = Array(text.utf8)
    guard Glibc.write(fd, bytes, bytes.count) == bytes.count else {
      throw PlatformError.last("write \(name)")
    }
  }

  func job(_ id: JobID = .sync, _ text: String) throws { try write("config/jobs.d/\(id).toml", text) }

  func provider() throws {
    try write(
      "config/providers.d/work.toml",
      "kind = 'oidc'\nissuer = 'https://login.example'\nclient_id = 'x'\nscopes = ['openid']\n")
    try write("config/nightlatch.toml", "[foreground]\nwhen = 'manual'\n")
  }

  func text(_ name: String) -> String {
    (try? SourceFiles.text(of: "\(path)/\(name)", limit: 1 << 20)) ?? ""
  }

  /// What the foreground agent would publish.
  func publish(_ snapshot: Snapshot) throws {
    try AuthCacheWriter(AuthCacheFile(of: .work, inRuntimeFolder: folders.runtime)).publish(snapshot)
  }

  func remove(_ name: String) { FileTree.remove("\(path)/\(name)") }

  func move(_ name: String, to other: String) throws {
    guard rename("\(path)/\(name)", "\(path)/\(other)") == 0 else { throw PlatformError.last("move \(name)") }
  }

  func link(_ name: String, to target: String) { symlink(target, "\(path)/\(name)") }

  func exists(_ name: String) -> Bool { access("\(path)/\(name)", F_OK) == 0 }

  func status(_ name: String) -> FileStatus? { try? FileStatus(of: "\(path)/\(name)") }

  // MARK: - The daemon

  func daemon(
    zones: ZoneDatabase = ZoneDatabase(),
    isClockSynchronized: @escaping () -> Bool = { SystemClock.isSynchronized }
  ) throws -> Daemon {
    let log = open("\(path)/log", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard log >= 0 else { throw PlatformError.last("create the log") }
    let ledger = try Ledger(path: folders.ledger)
    let daemon = Daemon(
      folders: folders, log: .terminal(fd: log, color: false), manager: ServiceManager(address: nil),
      ledger: ledger, bootID: try SystemClock.bootID(),
      configuration: ConfigurationFiles(folders: folders, database: zones),
      orphans: try Orphans(), isClockSynchronized: isClockSynchronized)
    try daemon.start(conditions: Conditions(), recovery: try ledger.recover())
    daemon.turn()
    return daemon
  }

  var log: String { text("log") }
}

extension Daemon {
  /// Asks for a run, and takes the turn in which that is decided.
  func request(_ request: Request) {
    post(.requested(RequestID(rawValue: 1), request))
    turn()
  }

  func runs(of job: JobID = .sync) throws -> [RunRecord] { try ledger.runs(RunFilter(job: job)) }

  /// The only run of the job.
  func run(of job: JobID = .sync) throws -> RunRecord? {
    let runs = try runs(of: job)
    return runs.count == 1 ? runs.first : nil
  }
}

/// Lets the main loop turn until the condition holds. The suite's time limit bounds it.
func until(_ condition: () throws -> Bool) async throws {
  while try !condition() {
    await withCheckedContinuation { turn in Later.run { turn.resume() } }
  }
}
