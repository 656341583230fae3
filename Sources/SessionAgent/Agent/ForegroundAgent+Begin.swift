import AuthModel
import Scheduling

extension ForegroundAgent {
  /// Stores the new session, finds out whose it is, and publishes it.
  func begin(
    _ login: LoginAnswer, _ metadata: ServerMetadata, _ queries: TokenQueries, on ground: LoginGround
  ) throws(AgentError) -> AgentReport {
    defer { withExtendedLifetime(ground) {} }
    let previous = store.load()
    if case .unreadable(let reason) = previous { throw .store(provider: name, reason: reason) }
    let generation = max(previous.generation, ground.publication.lastTokenGeneration) + 1
    var (record, doubt) = try newRecord(login, generation: generation, metadata)
    try Persistence(store: store).keep(StoreEncoding.encode(record), in: ground.file) { _ in }
    // Whatever it says is about a session that has been replaced.
    try? SpendJournal.clear(journalPath)
    if record.issuer == nil, let user = (try? queries.user(of: record.accessToken)) ?? nil {
      record.user = user
      try? store.replace(StoreEncoding.encode(record), in: store.reserve())
    }
    let attempt = Snapshot.Attempt(
      outcome: doubt == nil ? .success : .rejectedUnknown, ended: clock.moment,
      failures: doubt == nil ? 0 : 1,
      detail: doubt?.description ?? "logged in")
    try ground.publication.publish(.present(record), spend: .settled, attempt: attempt)
    discardQuarantine()
    // A server that is slow to forget must not hold up whoever refreshes the new session.
    ground.lock.release()
    let remark = revokeReplaced(previous, by: record)
    if let doubt { return AgentReport(.tryLater, "\(name): imported and stored, but not verified: \(doubt)") }
    let warning =
      record.refreshToken == nil ? "; the server gave no refresh token: ask for the scope offline_access" : ""
    return AgentReport(
      .success, "\(name): logged in as \(record.user.name ?? record.user.id)\(warning)\(remark)")
  }

  /// Another person's session would live on at the server, where nobody has its tokens any more. The same
  /// person's is let be: to some servers all that one person has granted to one client is one authorization
  /// grant, which ends with any of its tokens (RFC 7009 section 2.1), and the new session with it.
  private func revokeReplaced(_ previous: StoredSession, by record: SessionRecord) -> String {
    guard case .present(let old) = previous, let issuer = record.issuer, old.issuer == issuer,
      old.user.id != record.user.id, let objection = revoke(old)
    else { return "" }
    return "; the session of \(old.user.name ?? old.user.id) could not be revoked: \(objection)"
  }

  func ground(_ stay: AnyObject?) throws(AgentError) -> LoginGround {
    LoginGround(lock: try lock(), publication: try publication(), file: try store.reserve(), stay: stay)
  }

  private func newRecord(
    _ login: LoginAnswer, generation: UInt64, _ metadata: ServerMetadata
  ) throws(AgentError) -> (SessionRecord, doubt: IDToken.Rejection?) {
    let answer = login.answer
    guard answer.isBearer else {
      throw .refused(what: "the login", reason: "the server gave no bearer token")
    }
    let skew = skew(login.date)
    var record = SessionRecord(
      generation: generation, accessToken: answer.accessToken, refreshToken: answer.refreshToken,
      obtained: login.obtained, lifetime: answer.lifetime, skew: skew,
      isVerified: answer.lifetime.map { $0 > .zero } ?? true, scope: answer.scope, user: anonymous)
    record.providerToken = answer.providerToken
    if answer.refreshToken != nil {
      record.refreshLifetime = answer.refreshLifetime ?? provider.refreshTokenLifetime
    }
    if let user = answer.user { (record.user, record.issuer) = (user, PrivySession.issuer) }
    guard let text = answer.idToken else { return (record, nil) }
    do throws(IDToken.Rejection) {
      record.takeOver(try believe(text, metadata, nonce: login.nonce, skew: skew))
      return (record, nil)
    } catch {
      guard login.isSpent else { throw .refused(what: "the login", reason: error.description) }
      record.isVerified = false
      return (record, error)
    }
  }

  /// An ID token that stands up to everything OpenID Connect Core section 3.1.3.7 asks for.
  private func believe(
    _ text: Secret, _ metadata: ServerMetadata, nonce: Secret?, skew: Duration
  ) throws(IDToken.Rejection) -> IDToken {
    let idToken = try IDToken(text, signedWith: provider.idTokenAlgorithm)
    try idToken.checkIdentity(.init(issuer: issuer, clientID: provider.clientID, nonce: nonce))
    try idToken.checkTime(serverNow: clock.now.wall + skew)
    if let keys = providerKeys(metadata) { try idToken.checkSignature(keys, now: clock.now.wall) }
    return idToken
  }

  /// Nil for a provider that publishes none: then what came from the token endpoint over TLS is
  /// believed without a signature (point 6).
  func providerKeys(_ metadata: ServerMetadata) -> ProviderKeys? {
    metadata.endpoints.jwks.map {
      ProviderKeys(
        url: $0, timeout: min(provider.requestTimeout, .seconds(10)), client: client,
        cachePath: places.file(name, "jwks"))
    }
  }

  /// Who a session belongs to when the provider can't or won't say: the provider's own name, so that
  /// it is stable and tells two providers apart.
  var anonymous: User { User(id: name.description) }
}
