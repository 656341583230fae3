import CLinux
import Glibc

/// Processes that outlived the process that started them. This process is their "subreaper"
/// (prctl(2), PR_SET_CHILD_SUBREAPER): they become its children, so it can reap them, and find and
/// kill those of a run that is over.
public final class Orphans {
  private var signals: SignalWatch?
  private var endings: [Ending] = []
  private var isSweepPlanned = false
  /// Nobody can enter another session: a child in ours was started by some other code of this process
  /// and is that code's business.
  private let ownSession = getsid(0)

  private struct Ending {
    var mark: RunMark
    var session: Int32?
    var done: () -> Void
  }

  /// Once a process. From here on every child that nobody else follows is reaped.
  public init() throws(PlatformError) {
    guard nl_become_subreaper() == 0 else { throw .last("become the reaper of runs' processes") }
    signals = SignalWatch([SIGCHLD]) { [weak self] _ in self?.childEnded() }
  }

  /// Kills what is left of a run whose main process, the leader of `session`, has ended, whatever
  /// session it fled to, and calls `done` when none of it is left. Processes of other runs are not
  /// touched. A process that cannot be killed (in uninterruptible sleep) delays `done`, so no verdict
  /// should wait for it.
  ///
  /// A process that left the session and hid its environment cannot be told from another run's: it is
  /// killed once no run is left.
  public func end(_ mark: RunMark, session: Int32? = nil, done: @escaping () -> Void = {}) {
    endings.append(Ending(mark: mark, session: session, done: done))
    planSweep()
  }

  /// Kills all processes of a run that were not started by this process, and so are not its children:
  /// those of an adopted run. Returns how many there were.
  @discardableResult
  public static func kill(strangersOf mark: RunMark) -> Int {
    var count = 0
    for pid in ProcessTable.all() where pid != getpid() {
      guard ProcessTable.environment(of: pid, holds: mark.assignments) == true else { continue }
      let pidfd = nl_pidfd_open(pid)
      guard pidfd >= 0 else { continue }
      // Again, now that the number can't be reused.
      if ProcessTable.environment(of: pid, holds: mark.assignments) == true {
        nl_pidfd_send_signal(pidfd, SIGKILL)
        count += 1
      }
      close(pidfd)
    }
    return count
  }

  public func cancel() { signals?.cancel() }

  private func childEnded() {
    reap()
    if !endings.isEmpty { planSweep() }
  }

  /// One sweep serves every run that ended in this turn of the loop.
  private func planSweep() {
    guard !isSweepPlanned else { return }
    isSweepPlanned = true
    Later.run { [weak self] in self?.sweep() }
  }

  /// Collects every child that has ended: the runs' main processes and orphans alike.
  private func reap() {
    var result = nl_exit()
    while nl_wait(0, 1, &result) == 0, result.pid != 0 {
      if let child = ChildProcess.running[result.pid] {
        child.collect()
      } else if isOrphan(result.pid) {
        _ = nl_wait(result.pid, 0, &result)
      } else {
        // It stays first in line until its owner takes it.
        return reapOneByOne()
      }
    }
  }

  private func reapOneByOne() {
    for pid in ProcessTable.children() {
      if let child = ChildProcess.running[pid] {
        child.collect()
      } else if isOrphan(pid) {
        var result = nl_exit()
        _ = nl_wait(pid, 0, &result)
      }
    }
  }

  private func isOrphan(_ pid: Int32) -> Bool { getsid(pid) != ownSession }

  private func sweep() {
    isSweepPlanned = false
    reap()
    let noRunIsLeft = ChildProcess.running.isEmpty
    var lasting = Set<RunMark>()
    for pid in ProcessTable.children() where ChildProcess.running[pid] == nil && isOrphan(pid) {
      let owner = owner(of: pid)
      guard owner != nil || noRunIsLeft else { continue }
      Glibc.kill(pid, SIGKILL)
      if let owner { lasting.insert(owner) }
    }
    let finished = endings.filter { !lasting.contains($0.mark) }
    endings.removeAll { !lasting.contains($0.mark) }
    for ending in finished { ending.done() }
  }

  private func owner(of pid: Int32) -> RunMark? {
    let session = getsid(pid)
    return endings.first { ending in
      ending.session == session
        || ProcessTable.environment(of: pid, holds: ending.mark.assignments) == true
    }?.mark
  }
}
