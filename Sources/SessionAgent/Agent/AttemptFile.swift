import AuthModel
import Glibc

/// The published history of attempts: `attempts/NAME` in the runtime folder, for whoever may read the auth cache.
/// It is for people, and nothing depends on it: what goes wrong here is passed over.
struct AttemptFile {
  private static let limit = 64 << 10

  let path: String
  let group: UInt32?

  /// Replaces the file in one step.
  func append(_ attempt: Snapshot.Attempt) {
    let known = (try? File.read(path, limit: Self.limit)) ?? []
    var history = AttemptHistory(text: String(decoding: known, as: UTF8.self))
    history.append(AttemptHistory.Entry(attempt))
    let temporary = path + ".new"
    unlink(temporary)
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    if let group, fchown(descriptor, uid_t.max, group) != 0 || fchmod(descriptor, 0o640) != 0 { return }
    let code = Array(history.text.utf8).withUnsafeBytes { File.writeAll(descriptor, $0) }
    if code == 0 { rename(temporary, path) } else { unlink(temporary) }
  }
}
