import CLinux
import Glibc

/// A running process that leads its own session and process group: one we started, or one that an
/// earlier daemon started and we adopted.
public final class ChildProcess {
  public let pid: Int32
  /// When it started, in clock ticks since boot (proc(5), field 22): with the pid and the boot id it
  /// names a process for good.
  public let startTicks: UInt64
  /// The reading ends of its standard output and error, non-blocking; the caller owns them. nil of
  /// an adopted process: its pipes died with the earlier daemon.
  public let output: Int32?
  public let errors: Int32?
  /// Called once, on the main queue, in a later turn than the start.
  public var onExit: ((ProcessExit) -> Void)?
  public private(set) var exit: ProcessExit?

  private let isOurs: Bool
  private var source: FileSource?

  /// The children that have not been collected, by pid; keeps them alive.
  private(set) static var running: [Int32: ChildProcess] = [:]

  init(pid: Int32, startTicks: UInt64, pidfd: Int32, isOurs: Bool, output: Int32?, errors: Int32?) {
    self.pid = pid
    self.startTicks = startTicks
    self.isOurs = isOurs
    self.output = output
    self.errors = errors
    source = FileSource(owning: pidfd, onReadable: { [weak self] in self?.collect() })
    Self.running[pid] = self
  }

  /// Sends a signal to the whole process group. Does nothing once the process has been collected:
  /// its number may be someone else's by then.
  public func signal(_ number: Int32) {
    guard exit == nil else { return }
    kill(-pid, number)
  }

  /// Takes the exit status, kills what is left of the process group, and reports. While the dead
  /// leader is not reaped its number cannot be reused, so the group is killed first.
  func collect() {
    guard exit == nil, let exit = isOurs ? peek() : .unknown else { return }
    if isOurs {
      kill(-pid, SIGKILL)
      var result = nl_exit()
      _ = nl_wait(pid, 0, &result)
    }
    self.exit = exit
    Self.running[pid] = nil
    source?.cancel()
    source = nil
    let report = onExit
    onExit = nil
    report?(exit)
  }

  /// The exit status, left in place; nil while the process runs.
  private func peek() -> ProcessExit? {
    var result = nl_exit()
    // ECHILD: someone else has reaped it.
    guard nl_wait(pid, 1, &result) == 0 else { return .unknown }
    guard result.pid == pid else { return nil }
    return result.exited == 1
      ? .exited(code: result.status) : .signalled(result.status)
  }
}
