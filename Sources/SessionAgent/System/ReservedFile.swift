import Glibc

/// A replacement for a file whose space is taken before its content is known.
///
/// The session store reserves before it spends: a full disk must be found out while the old
/// refresh token is still good.
final class ReservedFile {
  let path: String
  private let temporary: String
  private let descriptor: Int32
  private var isInPlace = false

  /// Takes `size` bytes next to `path` (owner only). What was at `path` stays until ``commit(_:)``.
  ///
  /// - Parameter suffix: tells apart the temporary files of writers that hold no lock.
  init(replacing path: String, size: Int, suffix: String = ".new") throws(AgentError) {
    self.path = path
    temporary = path + suffix
    // A leftover of a killed process may be on its way to nowhere: start over with a new inode.
    unlink(temporary)
    descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw .system(action: "create", path: temporary, code: errno) }
    let code = posix_fallocate(descriptor, 0, off_t(max(1, size)))
    guard code == 0 else { throw .system(action: "reserve \(size) bytes for", path: path, code: code) }
  }

  deinit {
    close(descriptor)
    if !isInPlace { unlink(temporary) }
  }

  /// Puts the content in place durably. May be repeated after it failed.
  func commit(_ bytes: [UInt8]) throws(AgentError) {
    // In place already: only the folder's sync failed, and the file must not be written to again.
    if !isInPlace { try write(bytes) }
    try File.syncFolder(of: path)
  }

  private func write(_ bytes: [UInt8]) throws(AgentError) {
    guard lseek(descriptor, 0, SEEK_SET) == 0 else { throw failed("rewind") }
    let code = bytes.withUnsafeBytes { File.writeAll(descriptor, $0) }
    guard code == 0 else { throw .system(action: "write", path: temporary, code: code) }
    guard ftruncate(descriptor, off_t(bytes.count)) == 0 else { throw failed("truncate") }
    guard fsync(descriptor) == 0 else { throw failed("sync") }
    guard rename(temporary, path) == 0 else { throw failed("put in place") }
    isInPlace = true
  }

  private func failed(_ action: String) -> AgentError {
    .system(action: action, path: temporary, code: errno)
  }
}
