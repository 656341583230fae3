import AuthModel
import Glibc
import Scheduling

/// A provider's signing keys, cached on disk: `sessions/NAME.jwks` in the state folder.
///
/// Providers change their keys without notice (OpenID Connect Core section 10.1.1), so a key that is not
/// known is asked for, but no token can make us ask more often than once in a while.
struct ProviderKeys {
  /// How long they are used without asking again. Older ones still serve when the server can't be
  /// reached.
  static let lifetime = Duration.seconds(3600)
  /// Between two questions for a key that is not known.
  static let cooldown = Duration.seconds(300)

  let url: String
  let timeout: Duration
  let client: HTTPClient
  /// Its modification time is the last time the server was asked.
  let cachePath: String

  /// Asks if what is cached is old, so that nothing has to be asked when it is needed.
  ///
  /// - Throws: if there are no keys at all.
  func prepare(now: WallTime) throws(AgentError) {
    let age = age(now: now)
    guard cached == nil || age.map({ $0 >= Self.lifetime }) ?? true else { return }
    do { _ = try fetch() } catch {
      if cached == nil || error.isStop { throw error }
    }
  }

  /// From what is cached, without any network; nil if that does not decide it.
  func cachedJudgement(on token: IDToken) -> KeySet.Judgement? {
    cached.map { $0.judgement(on: token) }.flatMap { $0 == .unknownKey ? nil : $0 }
  }

  /// Asks the server for a key that is not cached.
  func judgement(on token: IDToken, now: WallTime) throws(AgentError) -> KeySet.Judgement {
    if let judgement = cachedJudgement(on: token) { return judgement }
    if cached != nil, let age = age(now: now), age < Self.cooldown { return .unknownKey }
    return try fetch().judgement(on: token)
  }

  private var cached: KeySet? {
    (try? File.readSecret(cachePath, limit: HTTPClient.bodyLimit, isPrivate: true)).flatMap { $0 }
      .flatMap { KeySet($0) }
  }

  /// Nil if the server was never asked, or in the future.
  private func age(now: WallTime) -> Duration? {
    var status = stat()
    guard stat(cachePath, &status) == 0 else { return nil }
    let age = now - WallTime(seconds: Int64(status.st_mtim.tv_sec))
    return age >= .zero ? age : nil
  }

  private func fetch() throws(AgentError) -> KeySet {
    // Also if it comes to nothing: what there is stays, and the cooldown begins.
    utimes(cachePath, nil)
    let response: HTTPResponse
    switch try client.perform(.get(url, timeout: timeout)) {
    case .failure(let failure):
      if client.hold.isStopRequested { throw .stopRequested }
      throw .request(host: HTTPClient.host(url), reason: failure.reason)
    case .success(let success): response = success
    }
    guard response.status == 200, let keys = KeySet(response.body) else {
      throw .request(
        host: HTTPClient.host(url),
        reason: "\(HTTPClient.printable(url)) holds no keys (status \(response.status))")
    }
    let bytes = response.body.withBytes { Array($0) }
    // The cache is a convenience: without it the next ID token asks again.
    try? ReservedFile(replacing: cachePath, size: bytes.count, suffix: ".\(getpid())").commit(bytes)
    return keys
  }
}

extension IDToken {
  /// May ask the server for keys that are not cached.
  func checkSignature(_ keys: ProviderKeys, now: WallTime) throws(Rejection) {
    let judgement: KeySet.Judgement
    do { judgement = try keys.judgement(on: self, now: now) } catch {
      throw .keysUnavailable(error.description)
    }
    switch judgement {
    case .signed: return
    case .forged: throw .signature
    case .unknownKey: throw .unknownKey
    }
  }
}
