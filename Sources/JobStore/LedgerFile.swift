import Glibc

/// The ledger's file as the operating system sees it.
struct LedgerFile {
  private let resolvedPath: String
  private let device: dev_t
  private let inode: ino_t

  /// Creates the file, for its owner only, if it is absent.
  init(creatingAt path: String) throws(StoreError.Cause) {
    // Exclusively: closing a descriptor of an existing file would drop the locks that another
    // connection of this process holds on it (https://www.sqlite.org/howtocorrupt.html section 2.2).
    let fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    if fd >= 0 { close(fd) } else if errno != EEXIST { throw Self.systemError() }
    guard let resolved = realpath(path, nil) else { throw Self.systemError() }
    resolvedPath = String(cString: resolved)
    free(resolved)
    var status = stat()
    guard stat(resolvedPath, &status) == 0 else { throw Self.systemError() }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .system("it is not a regular file") }
    // SQLite takes a file that is shorter than its smallest page for an empty one, and overwrites it.
    guard status.st_size == 0 || status.st_size >= 512 else { throw .notDatabase }
    (device, inode) = (status.st_dev, status.st_ino)
  }

  /// Takes everyone else's access away. SQLite gives the files that it puts beside the ledger (`-wal`,
  /// `-shm`) the same mode.
  func restrictAccess() throws(StoreError.Cause) {
    var status = stat()
    guard stat(resolvedPath, &status) == 0 else { throw Self.systemError() }
    guard status.st_mode & 0o077 != 0 else { return }
    guard chmod(resolvedPath, status.st_mode & 0o700) == 0 else { throw Self.systemError() }
  }

  /// Whether the path still leads to the file that was opened. SQLite would go on writing to a file that
  /// has been deleted, and report success.
  func assertInPlace() throws(StoreError.Cause) {
    var status = stat()
    guard stat(resolvedPath, &status) == 0, status.st_dev == device, status.st_ino == inode else {
      throw .system("the file was moved or deleted while it was in use")
    }
  }

  private static func systemError() -> StoreError.Cause { .system(String(cString: strerror(errno))) }
}
