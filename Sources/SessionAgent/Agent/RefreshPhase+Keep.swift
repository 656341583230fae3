import AuthModel
import Scheduling

extension RefreshPhase {
  /// Stores a new pair, and only then tells anybody.
  func keep(
    _ answer: TokenAnswer, _ response: HTTPResponse, _ outcome: AttemptClass, sent: Moment,
    in file: ReservedFile
  ) throws(AgentError) -> AgentReport {
    var renewed = renew(answer, response, outcome, sent: sent)
    let trust: Trust
    do throws(IDToken.Rejection) {
      trust = try identify(answer, &renewed)
    } catch {
      return try quarantine(renewed, error)
    }
    switch trust {
    case .proven(let idToken): if let idToken { renewed.takeOver(idToken) }
    case .pending, .doubtful: renewed.isVerified = false
    }
    try store(renewed, in: file)
    Failpoint.reach(.afterStore)
    // Not needed to be safe: the store's generation has passed the open spend's.
    try? journal.append(.settled(generation: renewed.generation))
    Failpoint.reach(.afterSettled)
    let kept = try settle(trust, &renewed, outcome)
    return try publish(renewed, kept)
  }

  private func store(_ renewed: SessionRecord, in file: ReservedFile) throws(AgentError) {
    try Persistence(store: agent.store, hold: agent.hold).keep(StoreEncoding.encode(renewed), in: file) {
      failure in
      // The snapshot has an open spend meanwhile; say why it lasts.
      try? publication.publish(
        .present(record), spend: .open,
        attempt: attempt(.ambiguous, nil, "the new token pair can't be stored yet: \(failure)"))
    }
  }

  /// What the attempt came to, its ID token considered. The pair is on disk: now there is time to ask
  /// for a new key.
  private func settle(
    _ trust: Trust, _ renewed: inout SessionRecord, _ outcome: AttemptClass
  ) throws(AgentError) -> AttemptClass {
    let rejection: IDToken.Rejection
    switch trust {
    case .proven: return outcome
    case .doubtful(let doubt): rejection = doubt
    case .pending(let idToken, let keys):
      do throws(IDToken.Rejection) {
        try idToken.checkSignature(keys, now: agent.clock.now.wall)
        renewed.takeOver(idToken)
        renewed.isVerified = outcome == .success
        // If this can't be written, the store says unverified: the safe side.
        try? agent.store.replace(StoreEncoding.encode(renewed), in: agent.store.reserve())
        return outcome
      } catch {
        rejection = error
      }
    }
    lastDetail = rejection.description
    return switch rejection {
    case .expired, .future: .clockSuspect
    // Their time will come.
    case .keysUnavailable: .transient
    default: .rejectedUnknown
    }
  }

  private func publish(_ renewed: SessionRecord, _ outcome: AttemptClass) throws(AgentError) -> AgentReport {
    let isSuccess = outcome == .success
    let warning = renewed.isRefreshTokenSpent ? "; but \(Self.spentTokenWarning)" : ""
    let detail = (isSuccess ? "verified" : lastDetail) + warning
    let retryAfter: Duration? = isSuccess ? nil : .seconds(900)
    let told = isSuccess && renewed.isRefreshTokenSpent ? .spentToken : outcome
    try publication.publish(
      .present(renewed), spend: .settled, attempt: attempt(told, retryAfter, detail))
    guard isSuccess else {
      return AgentReport(
        outcome == .configuration ? .configuration : .tryLater,
        "\(agent.name): refreshed and stored, but not verified: \(detail)")
    }
    let lifetime =
      renewed.lifetime.map { "for \($0.components.seconds) s" } ?? "until the server says otherwise"
    return AgentReport(
      .success,
      "\(agent.name): the session of \(renewed.user.id) is verified; its token is valid \(lifetime)\(warning)"
    )
  }

  private static let spentTokenWarning =
    "the server handed out a refresh token that was spent before; the next refresh will probably be refused"

  private func renew(
    _ answer: TokenAnswer, _ response: HTTPResponse, _ outcome: AttemptClass, sent: Moment
  ) -> SessionRecord {
    SessionRecord(
      generation: record.generation + 1, accessToken: answer.accessToken,
      refreshToken: answer.refreshToken ?? token, obtained: obtained(sent), lifetime: answer.lifetime,
      skew: agent.skew(response.date), isVerified: outcome == .success, scope: answer.scope ?? record.scope,
      issuer: record.issuer, user: record.user, authTime: record.authTime,
      providerToken: answer.providerToken ?? record.providerToken,
      refreshLifetime: refreshLifetime(answer, sent: sent),
      isRefreshTokenSpent: answer.refreshToken.map { journal.history.hasSpent(TokenHash(of: $0)) } ?? false)
  }

  /// A refresh token that was not replaced lives on from when it was given.
  private func refreshLifetime(_ answer: TokenAnswer, sent: Moment) -> Duration? {
    if let lifetime = answer.refreshLifetime { return lifetime }
    if let other = answer.refreshToken, !other.equals(token) { return agent.provider.refreshTokenLifetime }
    let age = record.obtained.elapsed(until: Now(boot: sent.boot, wall: sent.wall), in: sent.bootID)
    return record.refreshLifetime.map { max(.zero, $0 - age) }
  }

  /// Inside a reuse window the pair may be as old as the first send of its token.
  private func obtained(_ sent: Moment) -> Moment {
    let open = journal.history.open
    guard let first = open.first, open.last?.purpose == .resend else { return sent }
    let age = first.sent.elapsed(until: Now(boot: sent.boot, wall: sent.wall), in: sent.bootID)
    return Moment(bootID: sent.bootID, now: Now(boot: sent.boot - age, wall: sent.wall - age))
  }
}

extension ForegroundAgent {
  /// How far the server's clock is ahead; differences that its one-second resolution and the
  /// journey explain count as none.
  func skew(_ date: WallTime?) -> Duration {
    guard let date else { return .zero }
    let skew = date - clock.now.wall
    return skew > .seconds(-3) && skew < .seconds(3) ? .zero : skew
  }
}
