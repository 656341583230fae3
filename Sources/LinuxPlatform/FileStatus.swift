import Glibc

/// What stat(2) says of a file, as far as anyone here asks.
public nonisolated struct FileStatus {
  var mode: UInt32
  public var uid: UInt32
  var gid: UInt32
  public var size: Int64

  /// - Parameter attempt: what it is looked at for, to complete the sentence "cannot ...".
  /// - Throws: when there is no such file (``PlatformError/isAbsence``), or it may not be looked at.
  public init(following path: String, to attempt: String? = nil) throws(PlatformError) {
    var status = stat()
    guard stat(path, &status) == 0 else { throw .last(attempt ?? "look at '\(path)'") }
    self.init(status)
  }

  /// As above, of a symbolic link itself.
  public init(of path: String, to attempt: String? = nil) throws(PlatformError) {
    var status = stat()
    guard lstat(path, &status) == 0 else { throw .last(attempt ?? "look at '\(path)'") }
    self.init(status)
  }

  init(fd: Int32, to attempt: String) throws(PlatformError) {
    var status = stat()
    guard fstat(fd, &status) == 0 else { throw .last(attempt) }
    self.init(status)
  }

  private init(_ status: stat) {
    mode = status.st_mode
    uid = status.st_uid
    gid = status.st_gid
    size = Int64(status.st_size)
  }

  public var isRegular: Bool { mode & S_IFMT == S_IFREG }
  public var isFolder: Bool { mode & S_IFMT == S_IFDIR }
  var isLink: Bool { mode & S_IFMT == S_IFLNK }
  var isSocket: Bool { mode & S_IFMT == S_IFSOCK }
  public var permissions: UInt32 { mode & 0o7777 }
}
