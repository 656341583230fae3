public import AuthModel
import ControlProtocol
import Glibc

extension NightlatchClient {
  /// The auth state after a foreground phase: the daemon has the session refreshed and verified, and this
  /// returns what the cache says when that has ended, well or badly.
  ///
  /// For programs that a person is waiting for. It uses the network and takes as long as a phase does;
  /// cancel the task to stop waiting (the phase goes on). Inside a run it throws
  /// ``NightlatchError/insideRun`` at once, because background work never refreshes: use
  /// ``authStateWithoutRefresh()`` there.
  ///
  /// ```swift
  /// if case .authenticated(let user) = try await client.authState() { show(user) }
  /// ```
  public nonisolated(nonsending) func authState() async throws(NightlatchError) -> AuthState {
    guard getenv("NIGHTLATCH_RUN") == nil else { throw .insideRun }
    _ = try await daemon.ask(.foreground(ProviderName(provider), wait: true), for: ProvidersReply.self)
    return authStateWithoutRefresh()
  }

  /// Tells the daemon that the network is back: it forgets its backoff and starts the phases that are needed.
  ///
  /// The daemon watches the network by itself; this is for what it can't see, such as a VPN. Returns when the daemon
  /// knows, before any phase has ended. Only root and the daemon's own user may.
  public nonisolated(nonsending) func onNetworkRestored() async throws(NightlatchError) {
    _ = try await daemon.ask(.networkRestored, for: EmptyReply.self)
  }

  var daemon: ControlExchange { ControlExchange(socketPath: "\(runtimeFolder.path)/control.sock") }
}
