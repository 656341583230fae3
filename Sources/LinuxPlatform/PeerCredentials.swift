import CLinux
import Glibc

/// Who is at the other end of a Unix socket: the kernel's word (SO_PEERCRED, unix(7)), as of the
/// moment they connected.
public nonisolated struct PeerCredentials: Hashable, Sendable {
  public var pid: Int32
  public var uid: UInt32
  public var gid: UInt32

  public init(pid: Int32, uid: UInt32, gid: UInt32) {
    self.pid = pid
    self.uid = uid
    self.gid = gid
  }

  /// Whether it is root or the user that this process runs as.
  public var isOwn: Bool { uid == 0 || uid == geteuid() }

  init(of fd: Int32) throws(PlatformError) {
    var (pid, uid, gid) = (Int32(0), UInt32(0), UInt32(0))
    guard nl_peer_credentials(fd, &pid, &uid, &gid) == 0 else {
      throw .last("ask the kernel who connected to the control socket")
    }
    self.init(pid: pid, uid: uid, gid: gid)
  }
}
