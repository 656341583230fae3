import Glibc

/// A user of the system: passwd(5) and the groups that initgroups(3) would give.
public nonisolated struct Account: Sendable {
  public var name: String
  public var uid: UInt32
  public var gid: UInt32
  public var home: String
  public var shell: String
  public var groups: [UInt32]

  /// Looks a user up by name (or by number, in digits).
  public init(named name: String) throws(PlatformError) {
    if let entry = getpwnam(name) {
      self.init(entry.pointee)
    } else if let account = UInt32(name).flatMap(Account.init(uid:)) {
      self = account
    } else {
      throw .unknownUser(name)
    }
  }

  /// The user with this number; nil when passwd(5) does not know it. Never one that has it for a name.
  public init?(uid: UInt32) {
    guard let entry = getpwuid(uid) else { return nil }
    self.init(entry.pointee)
  }

  /// The user that this process runs as; nil when passwd(5) does not know it.
  public static func current() -> Account? { Account(uid: geteuid()) }

  private init(_ entry: passwd) {
    name = String(cString: entry.pw_name)
    uid = entry.pw_uid
    gid = entry.pw_gid
    home = String(cString: entry.pw_dir)
    shell = String(cString: entry.pw_shell)
    groups = Self.groups(of: name, with: gid)
  }

  private static func groups(of name: String, with gid: UInt32) -> [UInt32] {
    var count: Int32 = 64
    var list = [gid_t](repeating: 0, count: Int(count))
    if getgrouplist(name, gid, &list, &count) < 0 {
      // `count` is now how many there are.
      list = [gid_t](repeating: 0, count: Int(max(count, 1)))
      guard getgrouplist(name, gid, &list, &count) >= 0 else { return [gid] }
    }
    return Array(list.prefix(Int(max(count, 0))))
  }

  /// Whether the permission bits let this user execute the file.
  func mayExecute(_ status: FileStatus) -> Bool {
    if uid == 0 { return status.mode & 0o111 != 0 }
    if status.uid == uid { return status.mode & 0o100 != 0 }
    if groups.contains(status.gid) { return status.mode & 0o010 != 0 }
    return status.mode & 0o001 != 0
  }
}
