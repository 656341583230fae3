import ControlProtocol
import Glibc
import JobEngine
import LinuxPlatform

/// Who may ask what over the control socket. The kernel says who the peer is (SO_PEERCRED).
///
/// - root and the daemon's own user: everything.
/// - members of the group `nightlatch`, in system mode: look, but not touch.
/// - a run, whoever it runs as: the token of its own job's provider.
/// - everyone else: nothing, although the socket lets them connect.
struct Access {
  enum Right {
    case look, act
    case token
  }

  func refusal(of call: ControlCall, by peer: PeerCredentials, in daemon: Daemon) -> ProtocolError? {
    if peer.uid == 0 || peer.uid == geteuid() { return nil }
    switch call.right {
    case .look:
      if Self.isMember(peer, of: "nightlatch") { return nil }
      return .notPermitted(reason: "only root, the daemon's own user and the group nightlatch may do this")
    case .act: return .notPermitted(reason: "only root and the daemon's own user may do this")
    case .token:
      guard case .getToken(let provider, _) = call, let run = daemon.runs.run(ofProcess: peer.pid),
        daemon.runs.provider(of: run) == provider
      else {
        return .notPermitted(
          reason: "only root, the daemon's own user and runs of jobs with this provider may have its token")
      }
      return nil
    }
  }

  /// Asks the user database: what a peer's process was started with may be older than a new membership.
  private static func isMember(_ peer: PeerCredentials, of name: String) -> Bool {
    guard let group = getgrnam(name)?.pointee.gr_gid else { return false }
    let groups = (try? Account(named: "\(peer.uid)"))?.groups ?? []
    return peer.gid == group || groups.contains(group)
  }
}

extension ControlCall {
  fileprivate var right: Access.Right {
    switch self {
    case .status, .listJobs, .listQueue, .listRuns, .getRun, .why, .listAuth, .getInfo,
      .getInterfaceDescription:
      .look
    case .runJob, .cancel, .pause, .resume, .foreground, .reload, .networkRestored: .act
    case .getToken: .token
    }
  }
}
