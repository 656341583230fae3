import AuthModel
import Glibc
import Scheduling

/// The right to spend one provider's refresh token: a kernel lock on `sessions/NAME.lock`.
///
/// The file is never deleted, the lock never stolen, and it has no time limit: it ends with the
/// process that holds it, so a killed agent leaves nothing behind.
final class SessionLock {
  private let descriptor: Int32

  /// - Throws: `busy` if another process still holds it after `patience`.
  init(path: String, provider: ProviderName, patience: Duration, hold: SignalHold) throws(AgentError) {
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw .system(action: "open the lock", path: path, code: errno) }
    let deadline = SystemClock.boot + patience
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      guard errno == EWOULDBLOCK || errno == EINTR else {
        throw .system(action: "take the lock", path: path, code: errno)
      }
      guard SystemClock.boot < deadline else { throw .busy(provider: provider) }
      if hold.wait(for: .milliseconds(20)) { throw .stopRequested }
    }
  }

  /// Before its end: for what may take long and touches nothing of the session's.
  func release() { flock(descriptor, LOCK_UN) }

  deinit { close(descriptor) }
}
