import CLinux
import Glibc

/// Who is at the other end of a Unix socket: the kernel's word (SO_PEERCRED, unix(7)), as of the
/// moment they connected.
public nonisolated struct PeerCredentials: Hashable, Sendable {
  public var pid: Int32
  public var uid: UInt32
  public var gid: UInt32
  /// Its supplementary groups (SO_PEERGROUPS); empty where the kernel does not tell them.
  public var groups: [UInt32]

  public init(pid: Int32, uid: UInt32, gid: UInt32, groups: [UInt32] = []) {
    self.pid = pid
    self.uid = uid
    self.gid = gid
    self.groups = groups
  }

  /// Whether it is root or the user that this process runs as.
  public var isOwn: Bool { uid == 0 || uid == geteuid() }

  init(of fd: Int32) throws(PlatformError) {
    var (pid, uid, gid) = (Int32(0), UInt32(0), UInt32(0))
    guard nl_peer_credentials(fd, &pid, &uid, &gid) == 0 else {
      throw .last("ask the kernel who connected to the control socket")
    }
    self.init(pid: pid, uid: uid, gid: gid, groups: Self.groups(of: fd))
  }

  /// 65536 is NGROUPS_MAX: there can't be more (credentials(7)); few processes have more than a page of them.
  private static func groups(of fd: Int32) -> [UInt32] {
    for limit in [64, 65_536] {
      var groups = [UInt32](repeating: 0, count: limit)
      let count = nl_peer_groups(fd, &groups, Int32(limit))
      if count >= 0 { return Array(groups.prefix(Int(count))) }
      guard errno == ERANGE else { return [] }
    }
    return []
  }

  /// Whether the process is in a group, or its user is by now: a membership may be younger than the process.
  public func isMember(of group: UInt32) -> Bool {
    gid == group || groups.contains(group) || Account(uid: uid)?.groups.contains(group) == true
  }
}
