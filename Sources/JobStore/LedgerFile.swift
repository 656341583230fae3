import Glibc

/// The ledger's file before SQLite opens it.
enum LedgerFile {
  /// Creates the file if it is absent and takes away everyone else's access to it. SQLite gives the files
  /// that it puts beside it (`-wal`, `-shm`) the same mode.
  static func prepare(path: String) throws(StoreError.Cause) {
    // Exclusively: closing a descriptor of an existing file would drop the locks that another
    // connection of this process holds on it (https://www.sqlite.org/howtocorrupt.html section 2.2).
    let fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    if fd >= 0 {
      close(fd)
      return
    }
    guard errno == EEXIST else { throw systemError() }
    var status = stat()
    guard stat(path, &status) == 0 else { throw systemError() }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .system("it is not a regular file") }
    guard status.st_mode & 0o077 != 0 else { return }
    guard chmod(path, status.st_mode & 0o700) == 0 else { throw systemError() }
  }

  private static func systemError() -> StoreError.Cause { .system(String(cString: strerror(errno))) }
}
