import CLinux
import Glibc

/// Unix stream sockets by path.
public nonisolated enum UnixSocket {
  static func listen(at path: String, mode: UInt32) throws(PlatformError) -> Int32 {
    let attempt = "listen at '\(path)'"
    guard let address = UnixAddress(path) else {
      throw .unrepresentable(what: "the socket path '\(path)'", why: "it is longer than 107 bytes or empty")
    }
    try removeStale(path)
    let fd = try open()
    // bind(2) gives the file the socket's own permissions, less the umask: it is never wider than asked
    // for, and chmod(2) adds what the umask took.
    _ = fchmod(fd, mode & 0o777)
    let bound = address.with { bind(fd, $0, $1) }
    let reason = errno
    guard bound == 0, chmod(path, mode & 0o777) == 0, Glibc.listen(fd, 64) == 0 else {
      let failure = PlatformError.system(attempt: attempt, errno: bound == 0 ? errno : reason)
      close(fd)
      throw failure
    }
    return fd
  }

  static func connect(to path: String) throws(PlatformError) -> Int32 {
    try connect(to: path, isPatient: true)
  }

  /// Throws unless somebody listens there. Without waiting: a daemon that hangs has a full queue of clients, and is
  /// there nevertheless.
  public static func probe(_ path: String) throws(PlatformError) {
    do {
      close(try connect(to: path, isPatient: false))
    } catch .system(_, EAGAIN) {}
  }

  private static func connect(to path: String, isPatient: Bool) throws(PlatformError) -> Int32 {
    guard let address = UnixAddress(path) else {
      throw .unrepresentable(what: "the socket path '\(path)'", why: "it is longer than 107 bytes or empty")
    }
    let fd = try open()
    if !isPatient { _ = fcntl(fd, F_SETFL, O_NONBLOCK) }
    guard address.with({ Glibc.connect(fd, $0, $1) }) == 0 else {
      let failure = PlatformError.last("connect to '\(path)'")
      close(fd)
      throw failure
    }
    return fd
  }

  private static func open() throws(PlatformError) -> Int32 {
    let fd = nl_unix_stream()
    guard fd >= 0 else { throw .last("create a Unix socket") }
    return fd
  }

  /// Evidence, not age: a socket nobody listens on refuses the connection.
  private static func removeStale(_ path: String) throws(PlatformError) {
    guard let status = try? FileStatus(of: path) else { return }
    guard status.isSocket else {
      throw .unsafePath(path, why: "it is in the way of the control socket and is not a socket; remove it")
    }
    do {
      try probe(path)
    } catch .system(_, ECONNREFUSED) {
      guard unlink(path) == 0 || errno == ENOENT else { throw .last("remove the stale socket '\(path)'") }
      return
    } catch {
      throw error
    }
    throw .unsafePath(path, why: "another process is listening there; stop it, or name another folder")
  }
}
