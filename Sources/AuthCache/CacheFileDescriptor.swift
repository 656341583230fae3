import Glibc

/// An open file that is closed when its owner lets go of it.
struct CacheFileDescriptor: ~Copyable {
  let number: Int32

  deinit { close(number) }

  /// Opens what is at `path`; it follows no symbolic link and waits for no pipe.
  init(path: String, flags: Int32, mode: mode_t = 0) throws(FileFailure) {
    let opened = open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, mode)
    guard opened >= 0 else {
      throw [ELOOP, EISDIR, ENXIO].contains(errno) ? .damaged : .last
    }
    number = opened
  }

  /// Gives the file its group and permission bits, if it has others.
  func setAccess(of file: AuthCacheFile) throws(FileFailure) {
    var status = stat()
    guard fstat(number, &status) == 0 else { throw .last }
    if let group = file.group, status.st_gid != group {
      guard fchown(number, .max, group) == 0 else { throw .last }
    }
    if status.st_mode & 0o7777 != file.mode {
      guard fchmod(number, file.mode) == 0 else { throw .last }
    }
  }

  func write(all bytes: [UInt8]) throws(FileFailure) {
    var written = 0
    while written < bytes.count {
      let count = bytes[written...].withUnsafeBytes { Glibc.write(number, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw .last }
      written += count
    }
  }
}
