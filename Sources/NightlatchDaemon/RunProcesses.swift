import AuthModel
import Glibc
import JobEngine
import LinuxPlatform
import Scheduling

/// The processes of runs: started, followed, signalled, cleaned up after.
final class RunProcesses {
  /// What happens to them, as events.
  var onEvent: (Event) -> Void = { _ in }

  private let folders: Folders
  private let bootID: BootID
  private let log: LogSink
  private let orphans: Orphans
  private var processes: [RunID: RunProcess] = [:]

  private struct RunProcess {
    var record: RunRecord
    var child: ChildProcess
    var readers: [OutputReader] = []
    /// Kept until the run is over: its token.
    var handover: TokenHandover?
  }

  init(folders: Folders, bootID: BootID, log: LogSink, orphans: Orphans) {
    self.folders = folders
    self.bootID = bootID
    self.log = log
    self.orphans = orphans
  }

  // MARK: - Start

  func start(_ launch: Launch, _ auth: AuthWatch) {
    let (id, attempt) = (launch.record.id, launch.record.attempt)
    let handover: TokenHandover?
    do {
      handover = try launch.token.map { token throws(HandoverError) in
        try TokenHandover(token, launch, folders: folders, present: auth.present(token.provider))
      }
    } catch {
      return onEvent(.spawnFailed(id, attempt: attempt, .token(error.description)))
    }
    do throws(PlatformError) {
      let child = try ChildProcess.spawn(try RunEnvironment(launch, folders, handover).spec)
      handover?.processStarted()
      follow(RunProcess(record: launch.record, child: child, handover: handover))
    } catch {
      handover?.discard()
      onEvent(.spawnFailed(id, attempt: attempt, .program(error.description)))
    }
  }

  private func follow(_ process: RunProcess) {
    var process = process
    let (id, attempt) = (process.record.id, process.record.attempt)
    let identity = process.record.identity
    for (fd, priority) in [(process.child.output, LogEntry.Priority.info), (process.child.errors, .notice)] {
      guard let fd else { continue }
      process.readers.append(
        OutputReader(owning: fd) { [log] line in
          log.write(LogEntry(bytes: line, priority: priority, fields: identity))
        })
    }
    process.child.onExit = { [weak self] in self?.ended(id, attempt, $0) }
    processes[id] = process
    let child = process.child
    onEvent(
      .spawned(
        id, attempt: attempt,
        ProcessIdentity(pid: child.pid, startTicks: child.startTicks, bootID: bootID)))
  }

  // MARK: - End

  private func ended(_ id: RunID, _ attempt: Int, _ exit: ProcessExit) {
    guard let process = processes.removeValue(forKey: id) else { return }
    // Everything it wrote is in its pipes, whoever still holds their other ends.
    for reader in process.readers { reader.close() }
    process.handover?.discard()
    let mark = RunMark(run: id.description, attempt: attempt)
    if exit == .unknown { Orphans.kill(strangersOf: mark) }
    orphans.end(mark, session: process.child.pid)
    onEvent(.exited(id, attempt: attempt, ExitStatus(exit)))
  }

  func signal(_ id: RunID, _ signal: RunSignal) {
    processes[id]?.child.signal(signal == .kill ? SIGKILL : SIGTERM)
  }

  // MARK: - Recovery

  /// Looks for the process of a run that an earlier daemon began. Whatever of it can't be followed is
  /// ended: the run is about to be started again, or given up.
  func adopt(_ record: RunRecord) {
    let handover = TokenHandover(earlierOf: record.id, in: folders)
    if let identity = record.process,
      let child = try? ChildProcess.adopt(pid: identity.pid, startTicks: identity.startTicks)
    {
      return follow(RunProcess(record: record, child: child, handover: handover))
    }
    Orphans.kill(strangersOf: RunMark(run: record.id.description, attempt: record.attempt))
    handover.discard()
    onEvent(.lost(record.id, attempt: record.attempt))
  }

  /// Whether no run has a process.
  var isEmpty: Bool { processes.isEmpty }

  // MARK: - Whose process is it

  func provider(of id: RunID) -> ProviderName? { processes[id]?.record.provider }

  /// Whether a process is a run's, or something else that descends from this daemon: a process that has left
  /// its run's session and lost its parents is the daemon's child (``Orphans``).
  func isBackground(_ pid: Int32) -> Bool {
    run(ofProcess: pid) != nil || ProcessTable.ancestors(of: pid).dropFirst().contains(getpid())
  }

  /// The run that a process belongs to: the kernel's word on its ancestors and session, not the
  /// process's own.
  func run(ofProcess pid: Int32) -> RunID? {
    let ancestors = Set(ProcessTable.ancestors(of: pid))
    let session = ProcessTable.session(of: pid)
    return processes.first { ancestors.contains($0.value.child.pid) || session == $0.value.child.pid }?.key
  }
}

extension ExitStatus {
  init(_ exit: ProcessExit) {
    self =
      switch exit {
      case .exited(let code): .exited(code)
      case .signalled(let signal): .signaled(signal)
      case .unknown: .unknown
      }
  }
}
