import AuthModel
import Scheduling

extension RefreshPhase {
  /// Stores a new pair, and only then tells anybody.
  func keep(
    _ answer: TokenAnswer, _ response: HTTPResponse, _ outcome: AttemptClass, sent: Moment,
    in file: ReservedFile
  ) throws(AgentError) -> AgentReport {
    let renewed: SessionRecord
    let isTimely: Bool
    do throws(IDToken.Rejection) {
      (renewed, isTimely) = try renew(answer, response, outcome, sent: sent)
    } catch {
      return try quarantine(error)
    }
    let kept = isTimely ? outcome : .clockSuspect
    try Persistence(store: agent.store, hold: agent.hold).keep(StoreEncoding.encode(renewed), in: file) {
      failure in
      // The snapshot has an open spend meanwhile; say why it lasts.
      try? publication.publish(
        .present(record), spend: .open,
        attempt: attempt(.ambiguous, nil, "the new token pair can't be stored yet: \(failure)"))
    }
    Failpoint.reach(.afterStore)
    // Not needed to be safe: the store's generation has passed the open spend's.
    try? journal.append(.settled(generation: renewed.generation))
    Failpoint.reach(.afterSettled)
    return try publish(renewed, kept)
  }

  private func publish(_ renewed: SessionRecord, _ outcome: AttemptClass) throws(AgentError) -> AgentReport {
    let isSuccess = outcome == .success
    let detail = isSuccess ? "verified" : lastDetail
    let retryAfter: Duration? = isSuccess ? nil : .seconds(900)
    try publication.publish(
      .present(renewed), spend: .settled, attempt: attempt(outcome, retryAfter, detail))
    guard isSuccess else {
      return AgentReport(
        outcome == .configuration ? .configuration : .tryLater,
        "\(agent.name): refreshed and stored, but not verified: \(detail)")
    }
    let lifetime =
      renewed.lifetime.map { "for \($0.components.seconds) s" } ?? "until the server says otherwise"
    return AgentReport(
      .success, "\(agent.name): the session of \(renewed.user.id) is verified; its token is valid \(lifetime)"
    )
  }

  /// The new record, and whether the ID token, if there is one, agrees with our clock.
  private func renew(
    _ answer: TokenAnswer, _ response: HTTPResponse, _ outcome: AttemptClass, sent: Moment
  ) throws(IDToken.Rejection) -> (SessionRecord, isTimely: Bool) {
    let skew = agent.skew(response.date)
    var renewed = SessionRecord(
      generation: record.generation + 1, accessToken: answer.accessToken,
      refreshToken: answer.refreshToken ?? token, obtained: obtained(sent), lifetime: answer.lifetime,
      skew: skew,
      isVerified: outcome == .success, scope: answer.scope ?? record.scope, issuer: record.issuer,
      user: record.user, providerToken: answer.providerToken ?? record.providerToken,
      refreshLifetime: refreshLifetime(answer, sent: sent))
    if let user = answer.user {
      guard record.issuer == nil || user.id == record.user.id else { throw .subject }
      (renewed.user, renewed.issuer) = (user, PrivySession.issuer)
    }
    // An ID token may be absent on refresh, and one that can't be read says nothing.
    guard let idToken = answer.idToken.flatMap({ try? IDToken($0) }) else { return (renewed, true) }
    guard record.issuer == nil || idToken.subject == record.user.id else { throw .subject }
    do throws(IDToken.Rejection) {
      try idToken.check(
        issuer: record.issuer ?? agent.issuer, clientID: agent.provider.clientID,
        serverNow: agent.clock.now.wall + skew)
    } catch {
      guard error == .expired else { throw error }
      renewed.isVerified = false
      lastDetail = error.description
      return (renewed, false)
    }
    renewed.user.name = idToken.name ?? record.user.name
    return (renewed, true)
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

  /// The server answered with somebody else's tokens (OpenID Connect Core section 12.2): they are not
  /// kept, and the store stays as it is.
  private func quarantine(_ rejection: IDToken.Rejection) throws(AgentError) -> AgentReport {
    lastDetail = rejection.description
    try journal.append(.parked(TokenHash(of: token), .otherIdentity))
    return try conclude(parked: .otherIdentity)
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
