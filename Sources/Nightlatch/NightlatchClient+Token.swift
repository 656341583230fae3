import AuthModel
import ControlProtocol

extension NightlatchClient {
  /// The access token, from the daemon.
  ///
  /// The cached one if it is valid for long enough: one round trip on a Unix socket. If it is not, the daemon has the
  /// session refreshed and this returns when it is. Inside a run it never does: there it throws
  /// ``NightlatchError/noToken(authState:reason:)`` at once, and the run should exit with 75 to be run again.
  ///
  /// The daemon gives it to root, to its own user, to runs of jobs with this provider, and to those that the
  /// provider's file names in `allow_users` and `allow_groups`.
  ///
  /// - Parameters:
  ///   - minimumValidity: how long the token must still be valid.
  ///   - patience: how long to wait for a refresh; zero: not at all.
  ///
  /// ```swift
  /// let token = try await client.accessToken(minimumValidity: .seconds(60))
  /// request.setValue("Bearer \(token.value)", forHTTPHeaderField: "Authorization")
  /// ```
  public nonisolated(nonsending) func accessToken(
    minimumValidity: Duration = .seconds(60), patience: Duration = .seconds(60)
  ) async throws(NightlatchError) -> AccessToken {
    let call = ControlCall.getToken(
      ProviderName(provider), minValid: max(.zero, minimumValidity), wait: max(.zero, patience))
    let reply = try await daemon.ask(call, for: TokenReply.self)
    return AccessToken(value: reply.token, expires: reply.expires?.wall)
  }
}
