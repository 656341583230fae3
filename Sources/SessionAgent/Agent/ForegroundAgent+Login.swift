import AuthModel
import Scheduling

extension ForegroundAgent {
  /// Logs a person in through the device flow (RFC 8628), and replaces whatever session there was.
  ///
  /// - Parameter show: tells the person what to do.
  public func login(show: (DevicePrompt) -> Void) throws(AgentError) -> AgentReport {
    if case .unreadable(let reason) = store.load() { throw .store(provider: name, reason: reason) }
    if provider.kind.isSupplied { return try resupply(newerThan: store.load().generation, isLogin: true) }
    let endpoints = try endpoints(needed: [\.token, \.deviceAuthorization])
    guard let tokenURL = endpoints.token else { throw .missingEndpoint(provider: name, endpoint: "token") }
    guard let deviceURL = endpoints.deviceAuthorization else {
      throw .missingEndpoint(provider: name, endpoint: "device authorization")
    }
    let credentials = try credentials()
    let flow = DeviceFlow(provider: provider, credentials: credentials, client: client, clock: clock)
    let authorization = try flow.start(at: deviceURL)
    show(authorization.prompt)
    let approval = try flow.poll(authorization, at: tokenURL)
    let queries = TokenQueries(
      provider: provider, credentials: credentials, client: client, endpoints: endpoints)
    return try begin(approval, queries)
  }

  /// Stores the new session, finds out whose it is, and publishes it.
  private func begin(_ approval: DeviceFlow.Approval, _ queries: TokenQueries) throws(AgentError)
    -> AgentReport
  {
    let lock = try lock()
    defer { withExtendedLifetime(lock) {} }
    let previous = store.load()
    if case .unreadable(let reason) = previous { throw .store(provider: name, reason: reason) }
    let publication = try publication()
    let generation = max(previous.generation, publication.lastTokenGeneration) + 1
    var record = try newRecord(approval, generation: generation)
    try keep(record)
    // Whatever it says is about a session that has been replaced.
    try? SpendJournal.clear(journalPath)
    if record.issuer == nil, let user = try queries.user(of: record.accessToken) {
      record.user = user
      try keep(record)
    }
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

  private func newRecord(_ approval: DeviceFlow.Approval, generation: UInt64) throws(AgentError)
    -> SessionRecord
  {
    let answer = approval.answer
    guard answer.isBearer else {
      throw .refused(what: "the login", reason: "the server gave no bearer token")
    }
    let skew = skew(approval.date)
    let isTimely = answer.lifetime.map { $0 > .zero } ?? true
    var record = SessionRecord(
      generation: generation, accessToken: answer.accessToken, refreshToken: answer.refreshToken,
      obtained: approval.obtained, lifetime: answer.lifetime, skew: skew, isVerified: isTimely,
      scope: answer.scope, user: anonymous)
    if answer.refreshToken != nil {
      record.refreshLifetime = answer.refreshLifetime ?? provider.refreshTokenLifetime
    }
    guard let text = answer.idToken else { return record }
    do throws(IDToken.Rejection) {
      let idToken = try IDToken(text)
      try idToken.check(issuer: issuer, clientID: provider.clientID, serverNow: clock.now.wall + skew)
      record.issuer = idToken.issuer
      record.user = idToken.user
    } catch {
      throw .refused(what: "the login", reason: error.description)
    }
    return record
  }

  /// Who a session belongs to when the provider can't or won't say: the provider's own name, so that
  /// it is stable and tells two providers apart.
  private var anonymous: User { User(id: name.description) }
}
