import AuthModel
import Scheduling

/// One foreground phase: from the decision to verify a session to its publication.
///
/// Its owner holds the provider's lock from beginning to end.
final class RefreshPhase {
  let agent: ForegroundAgent
  let publication: Publication
  let journal: SpendJournal
  let record: SessionRecord
  /// The refresh token, which may be spent.
  let token: Secret
  private var hasIntrospected = false
  private var endpoints = ProviderDefinition.Endpoints()
  /// What the latest send came to, for people.
  var lastDetail: String
  private(set) var hasSent = false
  /// The provider's keys, if it publishes any; or why they can't be had.
  private(set) var keys: Result<ProviderKeys?, AgentError> = .success(nil)
  /// Until when a network that is away is waited for while the reuse window lasts.
  private let insistence: Instant

  init(
    agent: ForegroundAgent, publication: Publication, journal: SpendJournal, record: SessionRecord,
    token: Secret
  ) {
    self.agent = agent
    self.publication = publication
    self.journal = journal
    self.record = record
    self.token = token
    insistence = agent.clock.now.boot + .seconds(60)
    let last = publication.lastAttempt.flatMap { $0.outcome.isSuccess ? nil : $0.detail }
    lastDetail = last ?? "an earlier refresh was interrupted"
  }

  func run() throws(AgentError) -> AgentReport {
    if case .park(let reason) = plan { return try conclude(parked: reason) }
    let exchange: RefreshExchange
    do { exchange = try prepare() } catch { return try conclude(error) }
    while true {
      if let report = try step(exchange) { return report }
    }
  }

  /// Everything that can fail before anything is at stake.
  private func prepare() throws(AgentError) -> RefreshExchange {
    if case .privy = agent.provider.kind, token.equals(Secret(PrivySession.cookieMode)) {
      throw .unusable(
        what: "the session of \(agent.name)", reason: "Privy gave it \(PrivySession.cookieModeExplanation)")
    }
    let introspects = agent.provider.introspectsRefreshTokens
    endpoints = try agent.endpoints(needed: introspects ? [\.token, \.introspection] : [\.token])
    guard let url = endpoints.token else { throw .missingEndpoint(provider: agent.name, endpoint: "token") }
    guard HTTPClient.isAllowed(url) else { throw .insecureURL(HTTPClient.printable(url)) }
    keys = findKeys()
    return RefreshExchange(
      agent: agent, credentials: try agent.credentials(), url: url, token: token, record: record)
  }

  private var plan: RecoveryPlan {
    RecoveryPlan.next(
      journal.history, provider: agent.provider,
      canIntrospect: agent.provider.introspectsRefreshTokens && !hasIntrospected,
      tokenTimeLeft: tokenTimeLeft,
      now: agent.clock.now, in: agent.clock.bootID)
  }

  private var tokenTimeLeft: Duration? {
    record.published.tokenTimeLeft(at: agent.clock.now, in: agent.clock.bootID)
  }

  /// One step of the plan; nil if there is another one to take.
  private func step(_ exchange: RefreshExchange) throws(AgentError) -> AgentReport? {
    switch plan {
    case .park(let reason): return try conclude(parked: reason)
    case .wait(let duration):
      return try conclude(
        journal.history.isAmbiguous ? .ambiguous : .rejectedUnknown, retryAfter: duration, lastDetail,
        isAttempt: hasSent)
    case .introspect:
      hasIntrospected = true
      return try introspect(exchange)
    case .send(let purpose):
      if agent.hold.isStopRequested || pauseBeforeResend(purpose) { return try conclude(.stopRequested) }
      return try spend(purpose, exchange)
    }
  }

  /// The first re-send follows at once, the others after a second or two: whatever swallowed the
  /// answer may be over then. Returns whether a stop is requested.
  private func pauseBeforeResend(_ purpose: Spend.Purpose) -> Bool {
    let resends = journal.history.open.count - 1
    guard purpose == .resend, resends > 0 else { return false }
    let pause = min(.seconds(resends), agent.provider.reuseWindow / 8)
    return agent.hold.wait(for: pause)
  }

  /// The network is away while the reuse window is running out: the daemon's backoff could waste it,
  /// so try again here. Returns whether to.
  func mayInsist() -> Bool {
    guard case .send(.resend) = plan, agent.clock.now.boot < insistence else { return false }
    return !agent.hold.wait(for: .milliseconds(500))
  }

  private func introspect(_ exchange: RefreshExchange) throws(AgentError) -> AgentReport? {
    let queries = TokenQueries(
      provider: agent.provider, credentials: exchange.credentials, client: agent.client, endpoints: endpoints)
    switch try queries.isActive(refreshToken: token) {
    case nil: return nil
    case true?:
      // It never arrived: as if nothing had been sent.
      try journal.append(.settled(generation: record.generation))
      return nil
    case false?:
      return try end(
        .lostRotation, in: try agent.store.reserve(), "the server says that the refresh token is spent")
    }
  }

  private func spend(_ purpose: Spend.Purpose, _ exchange: RefreshExchange) throws(AgentError) -> AgentReport?
  {
    guard case .granted(let stay) = agent.machine.take() else { return try conclude(.goingDown) }
    defer { withExtendedLifetime(stay) {} }
    let file: ReservedFile
    let sent = agent.clock.moment
    do {
      Failpoint.reach(.beforeSpendRecord)
      file = try agent.store.reserve()
      try publication.publish(.present(record), spend: .open, attempt: publication.lastAttempt)
      try journal.append(
        .spend(
          Spend(purpose: purpose, generation: record.generation, token: TokenHash(of: token), sent: sent)))
    } catch {
      return try conclude(error)
    }
    Failpoint.reach(.afterSpendRecord)
    hasSent = true
    let result: RefreshExchange.Outcome
    do { result = try exchange.perform() } catch {
      // It throws only before anything is sent.
      try? journal.append(.unspent(generation: record.generation))
      return try conclude(error)
    }
    Failpoint.reach(.afterAnswer)
    return try settle(result, sent: sent, in: file)
  }
}
