import AuthCache
import AuthModel
import Scheduling

/// Tells everybody else what the store holds: the token file, then the auth cache. Its owner holds
/// the provider's ``SessionLock``.
final class Publication {
  private let writer: AuthCacheWriter
  private let tokenFile: TokenFile
  private let attemptFile: AttemptFile
  private let clock: SystemClock
  /// Whose session there is although nobody logs in; nil: without a login there is none.
  var standing: User?

  init(_ provider: ProviderName, places: SessionPlaces, clock: SystemClock) throws(AgentError) {
    try File.makeFolder(places.tokensFolder)
    tokenFile = TokenFile(path: places.tokenFile(provider))
    try File.makeFolder(places.attemptsFolder, mode: 0o755)
    attemptFile = AttemptFile(path: "\(places.attemptsFolder)/\(provider)", group: places.cacheGroup)
    self.clock = clock
    do {
      let file = try AuthCacheFile(of: provider, inRuntimeFolder: places.runtime, group: places.cacheGroup)
      try File.makeFolder(AuthCacheFile.folder(inRuntimeFolder: places.runtime), mode: 0o755)
      writer = try AuthCacheWriter(file)
    } catch let error as AgentError {
      throw error
    } catch {
      throw .publication("\(error)")
    }
  }

  /// The last attempt that anybody published in this boot. What was said of a store that could not be read
  /// is no attempt.
  var lastAttempt: Snapshot.Attempt? {
    guard let snapshot = writer.newest.snapshot, snapshot.session != .unreadable else { return nil }
    return snapshot.lastAttempt
  }

  /// The highest number an access token has had in this boot, as far as it is known.
  var lastTokenGeneration: UInt64 {
    guard case .present(let present) = writer.newest.snapshot?.session else { return 0 }
    return present.tokenGeneration
  }

  func publish(_ stored: StoredSession, spend: Snapshot.Spend, attempt: Snapshot.Attempt?) throws(AgentError)
  {
    let session: Snapshot.Session
    switch stored {
    case .present(let record):
      // First: a snapshot must not promise a token that is not there.
      try tokenFile.write(record.accessToken, obtained: record.obtained.wall)
      Failpoint.reach(.afterTokenFile)
      session = .present(record.published)
    case .missing: session = standing.map { .present(beforeFirstToken($0)) } ?? .absent(.neverLoggedIn)
    case .ended(let tombstone): session = .absent(tombstone.reason)
    case .unreadable: session = .unreadable
    }
    let snapshot = Snapshot(
      generation: 0, published: clock.moment, session: session, lastAttempt: attempt, spend: spend)
    let known = lastAttempt
    do { try writer.publish(snapshot) } catch { throw .publication("\(error)") }
    if let attempt, attempt != known { attemptFile.append(attempt) }
    if case .present = stored { return }
    try tokenFile.remove()
  }

  private func beforeFirstToken(_ user: User) -> Snapshot.Present {
    Snapshot.Present(user: user, tokenGeneration: 0, obtained: clock.moment, lifetime: nil)
  }
}
