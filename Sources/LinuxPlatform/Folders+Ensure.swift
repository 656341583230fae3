import Glibc

nonisolated extension Folders {
  /// Creates what is missing, with the right permissions from the first moment, and refuses folders that
  /// are symbolic links, belong to someone else or may be written by others: whoever owns them owns the
  /// sessions. `group` is the group that may read the auth cache (in system mode `nightlatch`); nil:
  /// the owner only.
  public func ensure(group: String? = nil) throws(PlatformError) {
    let groupID = group.flatMap { getgrnam($0)?.pointee.gr_gid }
    try Self.ensure(state, mode: 0o700, isPrivate: true)
    try Self.ensure(sessions, mode: 0o700, isPrivate: true)
    try Self.ensure(runtime, mode: 0o755, isPrivate: false)
    try Self.ensure(auth, mode: groupID == nil ? 0o700 : 0o750, isPrivate: false, group: groupID)
    try Self.ensure(attempts, mode: groupID == nil ? 0o700 : 0o750, isPrivate: false, group: groupID)
    try Self.ensure(tokens, mode: 0o700, isPrivate: true)
    // Runs' users must reach their own folder below it, and can list nothing.
    try Self.ensure(runs, mode: 0o711, isPrivate: false)
  }

  /// Creates one folder and its missing parents, and checks it.
  static func ensure(
    _ path: String, mode: UInt32, isPrivate: Bool, group: UInt32? = nil
  ) throws(PlatformError) {
    do { return try check(path, isPrivate: isPrivate) } catch {
      guard error.isAbsence else { throw error }
    }
    try createParents(of: path)
    guard mkdir(path, mode & 0o700) == 0 || errno == EEXIST else {
      throw .last("create the folder '\(path)'")
    }
    try adjust(path, mode: mode, group: group)
    try check(path, isPrivate: isPrivate)
  }

  /// Through a descriptor, so that what is changed is what was created.
  private static func adjust(_ path: String, mode: UInt32, group: UInt32?) throws(PlatformError) {
    let fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard fd >= 0 else { throw .last("open the folder '\(path)'") }
    defer { close(fd) }
    if let group, fchown(fd, uid_t.max, group) != 0 { throw .last("give the folder '\(path)' to its group") }
    guard fchmod(fd, mode) == 0 else { throw .last("set the permissions of '\(path)'") }
  }

  private static func check(_ path: String, isPrivate: Bool) throws(PlatformError) {
    let status = try FileStatus(of: path, to: "look at the folder '\(path)'")
    if status.isLink { throw .unsafePath(path, why: "it is a symbolic link; name the folder itself") }
    guard status.isFolder else { throw .unsafePath(path, why: "it is not a folder") }
    guard status.uid == geteuid() || status.uid == 0 else {
      throw .unsafePath(path, why: "it belongs to user \(status.uid), not to \(geteuid())")
    }
    let forbidden: UInt32 = isPrivate ? 0o077 : 0o022
    guard status.permissions & forbidden == 0 else {
      let mode = String(status.permissions, radix: 8)
      throw .unsafePath(
        path,
        why:
          "others may \(isPrivate ? "read or change" : "change") it (mode \(mode)); run chmod \(isPrivate ? "go-rwx" : "go-w") on it"
      )
    }
  }

  private static func createParents(of path: String) throws(PlatformError) {
    guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return }
    let parent = String(path[..<slash])
    if (try? FileStatus(following: parent)) != nil { return }
    try createParents(of: parent)
    guard mkdir(parent, 0o755) == 0 || errno == EEXIST else { throw .last("create the folder '\(parent)'") }
  }
}
