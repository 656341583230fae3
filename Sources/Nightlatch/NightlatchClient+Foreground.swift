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
    let daemon = ControlExchange(socketPath: "\(runtimeFolder.path)/control.sock")
    _ = try await daemon.ask(.foreground(ProviderName(provider), wait: true), for: ProvidersReply.self)
    return authStateWithoutRefresh()
  }
}
