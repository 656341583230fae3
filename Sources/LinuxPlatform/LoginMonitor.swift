import CSystemd
import Glibc

/// Calls back when a login session begins, ends or changes, as sd_login_monitor_new(3) tells.
@MainActor final class LoginMonitor {
  private let monitor: OpaquePointer
  private let source: FileSource

  /// Fails where logind has no sessions to watch: in most containers.
  init(onChange: @escaping () -> Void) throws(PlatformError) {
    let attempt = "watch login sessions"
    var opened: OpaquePointer?
    let outcome = sd_login_monitor_new("session", &opened)
    guard outcome >= 0, let opened else { throw .system(attempt: attempt, errno: -outcome) }
    // The monitor keeps its own descriptor; the source owns a copy.
    let fd = fcntl(sd_login_monitor_get_fd(opened), F_DUPFD_CLOEXEC, 3)
    guard fd >= 0 else {
      let error = PlatformError.last(attempt)
      sd_login_monitor_unref(opened)
      throw error
    }
    monitor = opened
    source = FileSource(
      owning: fd,
      onReadable: {
        sd_login_monitor_flush(opened)
        onChange()
      })
  }

  // Needs the class to name its actor: an optimized build forgets a default isolation.
  isolated deinit {
    source.cancel()
    sd_login_monitor_unref(monitor)
  }
}
