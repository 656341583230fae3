import Glibc

/// One daemon a state folder: a kernel lock (flock(2)) that ends with the process, however it ends. The
/// file is never deleted and its age means nothing.
public final class StateLock {
  private let fd: Int32

  /// Throws ``PlatformError/folderInUse(_:holder:)`` with the other daemon's pid when it is taken.
  public init(folders: Folders) throws(PlatformError) {
    let path = folders.lockFile
    let fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard fd >= 0 else { throw .last("open the lock file '\(path)'") }
    guard Self.lock(fd) else {
      let reason = errno
      let holder = Self.holder(fd)
      close(fd)
      guard reason == EWOULDBLOCK else { throw .system(attempt: "lock '\(path)'", errno: reason) }
      throw .folderInUse(folders.state, holder: holder)
    }
    self.fd = fd
    // Only for the other daemon's message: a failure to write it changes nothing.
    let text = Array("\(getpid())\n".utf8)
    _ = ftruncate(fd, 0)
    _ = pwrite(fd, text, text.count, 0)
  }

  /// A daemon that was killed while it started a run may leave its lock, for a moment, to a child that has
  /// not come to its `exec` yet: a holder that is dead is waited for, one that lives is not.
  private static func lock(_ fd: Int32) -> Bool {
    for _ in 0..<200 {
      if flock(fd, LOCK_EX | LOCK_NB) == 0 { return true }
      let reason = errno
      let isDying =
        reason == EWOULDBLOCK && holder(fd).map { ProcessTable.entry(of: $0)?.isZombie ?? true } == true
      errno = reason
      guard isDying else { return false }
      usleep(10_000)
    }
    errno = EWOULDBLOCK
    return false
  }

  private static func holder(_ fd: Int32) -> Int32? {
    var bytes = [UInt8](repeating: 0, count: 32)
    let count = pread(fd, &bytes, bytes.count, 0)
    guard count > 0 else { return nil }
    return Int32(String(decoding: bytes[..<count].prefix { $0 != 10 }, as: UTF8.self))
  }

  deinit { close(fd) }
}
