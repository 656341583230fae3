public import AuthModel
import Glibc

/// What can go wrong around a session. No case holds a secret.
public enum AgentError: Error, CustomStringConvertible {
  /// A system call failed.
  case system(action: String, path: String, code: Int32)
  case exposedSecret(path: String)
  case missingSecret(path: String)
  /// Something that an administrator provides is not what it should be.
  case unusable(what: String, reason: String)
  case unusableProviderName(String)
  /// Neither HTTPS nor loopback.
  case insecureURL(String)
  case missingEndpoint(provider: ProviderName, endpoint: String)
  /// The server's own description of itself can't be used.
  case discovery(issuer: String, reason: String)
  /// A request failed that spends nothing, so that it may be repeated at any time.
  case request(host: String, reason: String)
  case refused(what: String, reason: String)
  case store(provider: ProviderName, reason: UnreadableReason)
  /// Another agent holds the provider's lock.
  case busy(provider: ProviderName)
  /// Somebody asked this process to stop.
  case stopRequested
  /// Sleep or shutdown is announced.
  case goingDown
  case cryptography(action: String)
  /// A new token pair could not be stored for as long as ``Persistence/patience``.
  case unsaved(provider: ProviderName, reason: String)
  /// The same, but a copy is kept in memory until the next process stores it.
  case rescued(provider: ProviderName, reason: String)
  /// The store is as it should be, but others could not be told.
  case publication(String)

  public var description: String {
    switch self {
    case .system(let action, let path, let code):
      "cannot \(action) \(path): \(String(cString: strerror(code))); the session was left as it is"
    case .exposedSecret(let path):
      "cannot use \(path): others may read it or it belongs to somebody else; give it to the user "
        + "that runs this program, with mode 0600"
    case .missingSecret(let path):
      "cannot read the client's secret or key: \(path) does not exist or is empty; nothing was sent"
    case .unusable(let what, let reason): "cannot use \(what): \(reason); nothing was sent"
    case .unusableProviderName(let name):
      "cannot use \"\(name)\" as a provider's name: it must not be empty, start with a dot or hold a slash"
    case .insecureURL(let url):
      "refusing to talk to \(url): only https is allowed, or http on the loopback interface; nothing was sent"
    case .missingEndpoint(let provider, let endpoint):
      "provider \(provider) has no \(endpoint) endpoint: neither its file nor its discovery document "
        + "names one; add it to the [endpoints] table of the file"
    case .discovery(let issuer, let reason):
      "cannot use the discovery document of \(issuer): \(reason); the session was left as it is"
    case .request(let host, let reason):
      "cannot reach \(host): \(reason); the session was left as it is"
    case .refused(let what, let reason): "\(what) was refused: \(reason)"
    case .store(let provider, let reason):
      "cannot use the session store of \(provider): \(reason); it was left untouched, and the state is notReady"
    case .busy(let provider):
      "another agent is at work for \(provider); try again when it is done"
    case .stopRequested: "stopped as asked; the session was left as it is"
    case .goingDown:
      "the machine is about to sleep or to shut down: the refresh token was not sent; it will be afterwards"
    case .unsaved(let provider, let reason):
      "gave up storing the new token of \(provider): \(reason); the next refresh treats the answer as lost"
    case .rescued(let provider, let reason):
      "the new token of \(provider) can't be stored: \(reason); a sealed copy is kept in memory, which the next "
        + "refresh will store; until then a reboot would lose it"
    case .publication(let reason): reason
    case .cryptography(let action): "cannot \(action): libsodium failed; nothing was changed"
    }
  }

  /// How the program that met this ends.
  public var status: ExitStatus {
    switch self {
    case .system, .request, .busy, .stopRequested, .goingDown, .unsaved, .rescued, .publication: .tryLater
    case .exposedSecret, .missingSecret, .unusable, .unusableProviderName, .insecureURL, .missingEndpoint,
      .discovery,
      .store:
      .configuration
    case .refused: .loginNeeded
    case .cryptography: .internalError
    }
  }
}
