import Glibc
import Scheduling

/// The published access token: `tokens/NAME` in the runtime folder.
struct TokenFile {
  let path: String

  /// Replaces the file in one step. Not synced: it does not outlive the boot anyway.
  func write(_ token: Secret, obtained: WallTime) throws(AgentError) {
    let temporary = path + ".new"
    unlink(temporary)
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw .system(action: "create", path: temporary, code: errno) }
    defer { close(descriptor) }
    let code = token.withBytes { File.writeAll(descriptor, $0) }
    guard code == 0 else { throw failed("write", code) }
    var times = [Self.time(obtained), Self.time(obtained)]
    guard futimens(descriptor, &times) == 0 else { throw failed("date", errno) }
    guard rename(temporary, path) == 0 else { throw failed("put in place", errno) }
  }

  func remove() throws(AgentError) {
    guard unlink(path) == 0 || errno == ENOENT else { throw failed("remove", errno) }
  }

  private func failed(_ action: String, _ code: Int32) -> AgentError {
    .system(action: "\(action) the token file", path: path, code: code)
  }

  private static func time(_ time: WallTime) -> timespec {
    let seconds = time.microseconds >= 0 ? time.microseconds / 1_000_000 : 0
    return timespec(tv_sec: Int(seconds), tv_nsec: Int(max(0, time.microseconds) % 1_000_000) * 1_000)
  }
}
