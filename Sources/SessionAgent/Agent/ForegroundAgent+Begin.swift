import AuthModel
import Scheduling

extension ForegroundAgent {
  /// Stores the new session, finds out whose it is, and publishes it.
  func begin(
    _ login: LoginAnswer, _ metadata: ServerMetadata, _ queries: TokenQueries
  ) throws(AgentError) -> AgentReport {
    let lock = try lock()
    defer { withExtendedLifetime(lock) {} }
    let previous = store.load()
    if case .unreadable(let reason) = previous { throw .store(provider: name, reason: reason) }
    let publication = try publication()
    let generation = max(previous.generation, publication.lastTokenGeneration) + 1
    var record = try newRecord(login, generation: generation, metadata)
    try keep(record)
    // Whatever it says is about a session that has been replaced.
    try? SpendJournal.clear(journalPath)
    if record.issuer == nil, let user = try queries.user(of: record.accessToken) {
      record.user = user
      try keep(record)
    }
    _ = discardQuarantine(queries)
    let attempt = Snapshot.Attempt(
      outcome: .success, ended: clock.moment, failures: 0, detail: "logged in")
    try publication.publish(.present(record), spend: .settled, attempt: attempt)
    let warning =
      record.refreshToken == nil ? "; the server gave no refresh token: ask for the scope offline_access" : ""
    return AgentReport(.success, "\(name): logged in as \(record.user.name ?? record.user.id)\(warning)")
  }

  private func keep(_ record: SessionRecord) throws(AgentError) {
    try Persistence(store: store).keep(StoreEncoding.encode(record), in: try store.reserve()) { _ in }
  }

  private func newRecord(
    _ login: LoginAnswer, generation: UInt64, _ metadata: ServerMetadata
  ) throws(AgentError) -> SessionRecord {
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
    guard let text = answer.idToken else { return record }
    do throws(IDToken.Rejection) {
      record.takeOver(try believe(text, metadata, nonce: login.nonce, skew: skew))
    } catch {
      throw .refused(what: "the login", reason: error.description)
    }
    return record
  }

  /// An ID token that stands up to everything OpenID Connect Core section 3.1.3.7 asks for.
  private func believe(
    _ text: Secret, _ metadata: ServerMetadata, nonce: Secret?, skew: Duration
  ) throws(IDToken.Rejection) -> IDToken {
    let idToken = try IDToken(text)
    try idToken.checkIdentity(.init(issuer: issuer, clientID: provider.clientID, nonce: nonce))
    try idToken.checkTime(serverNow: clock.now.wall + skew)
    if let keys = signingKeys(metadata) { try idToken.checkSignature(keys, now: clock.now.wall) }
    return idToken
  }

  /// Nil for a provider that publishes none: then what came from the token endpoint over TLS is
  /// believed without a signature (point 6).
  func signingKeys(_ metadata: ServerMetadata) -> SigningKeys? {
    metadata.endpoints.jwks.map {
      SigningKeys(
        url: $0, timeout: min(provider.requestTimeout, .seconds(10)), client: client,
        cachePath: places.file(name, "jwks"))
    }
  }

  /// Who a session belongs to when the provider can't or won't say: the provider's own name, so that
  /// it is stable and tells two providers apart.
  var anonymous: User { User(id: name.description) }
}
