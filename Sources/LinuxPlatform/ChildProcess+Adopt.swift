import CLinux
import Glibc

extension ChildProcess {
  /// Follows a process that an earlier daemon started in this boot. Its exit status will be
  /// ``ProcessExit/unknown``. Throws ``PlatformError/processGone(pid:)`` unless exactly that process
  /// still runs.
  public static func adopt(pid: Int32, startTicks: UInt64) throws(PlatformError) -> ChildProcess {
    guard pid > 1 else { throw .processGone(pid: pid) }
    let pidfd = nl_pidfd_open(pid)
    guard pidfd >= 0 else {
      guard errno == ESRCH || errno == EINVAL else { throw .last("follow process \(pid)") }
      throw .processGone(pid: pid)
    }
    // Looked at after the pidfd is open: the number can't change hands behind our back any more.
    guard let entry = ProcessTable.entry(of: pid), entry.startTicks == startTicks, !entry.isZombie else {
      close(pidfd)
      throw .processGone(pid: pid)
    }
    return ChildProcess(
      pid: pid, startTicks: startTicks, pidfd: pidfd, isOurs: false, output: nil, errors: nil)
  }
}
