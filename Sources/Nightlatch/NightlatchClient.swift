import AuthCache
public import AuthModel
import Scheduling

/// What a program may know about its session with one provider.
///
/// ```swift
/// let client = try NightlatchClient(provider: "work")
///
/// switch client.authStateWithoutRefresh() {
/// case .authenticated(let user):             sync(as: user)
/// case .authenticatedUnverified:             deferUntilForeground()  // probably logged in: verify later
/// case .unauthenticated:                     break                   // nothing to do
/// case .notReady:                            break                   // nothing is known: don't proceed
/// }
/// ```
///
/// One client belongs to one task or thread; make as many as you need.
public final class NightlatchClient {
  /// The name of the provider's file in `providers.d`, without the ending.
  public let provider: String
  public let runtimeFolder: RuntimeFolder

  private let reader: AuthCacheReader
  var bootID: BootID { reader.bootID }

  /// - Parameter provider: the name of its file in `providers.d`, without the ending.
  public init(provider: String, runtimeFolder: RuntimeFolder = .system) throws(NightlatchError) {
    guard let bootID = BootID.current() else { throw .unknownBoot }
    do throws(AuthCacheError) {
      reader = AuthCacheReader(
        try AuthCacheFile(of: ProviderName(provider), inRuntimeFolder: runtimeFolder.path), in: bootID)
    } catch {
      throw .invalidProviderName(provider)
    }
    self.provider = provider
    self.runtimeFolder = runtimeFolder
  }

  /// The auth state from the cache alone: no network, no lock, no waiting; safe anywhere,
  /// above all in background work.
  ///
  /// While the answer is `.authenticated` it makes no system call. Any other answer is given only after
  /// a look at whether the cache file has been replaced, which is one.
  public func authStateWithoutRefresh() -> AuthState {
    let state = cachedState
    if case .authenticated = state { return state }
    reader.reopenIfReplaced()
    return cachedState
  }

  private var cachedState: AuthState {
    reader.authState(boot: .current(), wall: .current())
  }
}
