import AuthModel
import ControlProtocol
import Glibc
import JobEngine
import LinuxPlatform

/// Who may ask what over the control socket. The kernel says who the peer is (SO_PEERCRED).
///
/// - root and the daemon's own user: everything.
/// - members of the group `nightlatch`, in system mode: look, but not touch.
/// - a run, whoever it runs as: the token of its own job's provider.
/// - the users and groups of a provider's `allow_users` and `allow_groups`: its token.
/// - a run, even as root: no foreground phase.
/// - everyone else: nothing, although the socket lets them connect.
struct Access {
  enum Right {
    case look, act
    case token(ProviderName)
  }

  /// Whose members may look.
  var group = "nightlatch"

  func refusal(of call: ControlCall, by peer: PeerCredentials, in daemon: Daemon) -> ProtocolError? {
    if case .foreground = call, daemon.runs.isBackground(peer.pid) {
      return .notNow(
        reason: "this is a run, and background work never refreshes: exit with 75 to be run again later")
    }
    if peer.isOwn { return nil }
    switch call.right {
    case .look:
      if Self.isMember(peer, of: group) { return nil }
      return .notPermitted(reason: "only root, the daemon's own user and the group \(group) may do this")
    case .act: return .notPermitted(reason: "only root and the daemon's own user may do this")
    case .token(let name):
      if let run = daemon.runs.run(ofProcess: peer.pid), daemon.runs.provider(of: run) == name { return nil }
      if let provider = daemon.engine.view(of: name)?.definition, Self.allows(provider, peer) { return nil }
      return .notPermitted(
        reason:
          "only root, the daemon's own user, runs of jobs with this provider and those whom its file names in allow_users or allow_groups may have its token"
      )
    }
  }

  /// A name that the user database does not know is nobody's.
  private static func allows(_ provider: ProviderDefinition, _ peer: PeerCredentials) -> Bool {
    provider.allowedUsers.contains { (try? Account(named: $0))?.uid ?? UInt32($0) == peer.uid }
      || provider.allowedGroups.contains { isMember(peer, of: $0) }
  }

  private static func isMember(_ peer: PeerCredentials, of name: String) -> Bool {
    guard let group = getgrnam(name)?.pointee.gr_gid ?? UInt32(name) else { return false }
    return peer.isMember(of: group)
  }
}

extension ControlCall {
  fileprivate var right: Access.Right {
    switch self {
    case .status, .listJobs, .listQueue, .listRuns, .getRun, .why, .listAuth, .getInfo,
      .getInterfaceDescription:
      .look
    case .runJob, .cancel, .pause, .resume, .foreground, .reload, .networkRestored: .act
    case .getToken(let name, _, _): .token(name)
    }
  }
}
