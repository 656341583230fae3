import AuthCache
public import AuthModel
import Dispatch

extension NightlatchClient {
  /// The auth state as it is now, and from then on each time it becomes another.
  ///
  /// Nothing is polled and nobody is asked: the kernel tells when the auth cache is published, and a timer when the
  /// access token ends. A consumer that is slow gets the newest state and not those in between. It ends when
  /// its task is cancelled or the stream is let go of; until then it keeps a thread, which sleeps.
  ///
  /// ```swift
  /// for await state in try client.authStates() {
  ///   if case .authenticated(let user) = state { show(user) } else { showLogin() }
  /// }
  /// ```
  public func authStates() throws(NightlatchError) -> AsyncStream<AuthState> {
    let runtime = runtimeFolder.path
    guard let file = try? AuthCacheFile(of: ProviderName(provider), inRuntimeFolder: runtime) else {
      throw .invalidProviderName(provider)
    }
    let watch = try StateWatch(
      file, folder: AuthCacheFile.folder(inRuntimeFolder: runtime), bootID: bootID)
    let (states, continuation) = AsyncStream.makeStream(
      of: AuthState.self, bufferingPolicy: .bufferingNewest(1))
    continuation.onTermination = { _ in watch.stop() }
    DispatchQueue(label: "org.nightlatch.auth-states.\(provider)").async {
      watch.follow { continuation.yield($0) }
    }
    return states
  }
}
