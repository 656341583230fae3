import AuthModel
import Scheduling

extension ForegroundAgent {
  /// Whose tokens these are, as long as nobody says.
  var owner: User {
    User(id: provider.grant == .clientCredentials ? provider.clientID : name.description)
  }

  /// Takes the token that its source has now, stores and publishes it. A session that was ended by a
  /// logout or by the helper stays so until somebody logs in.
  ///
  /// - Parameters:
  ///   - generation: the access token that is not good enough any more; a newer one is adopted.
  ///   - isLogin: begin anew after an end, too.
  func resupply(newerThan generation: UInt64, isLogin: Bool = false) throws(AgentError) -> AgentReport {
    let lock = try lock()
    defer { withExtendedLifetime(lock) {} }
    let publication = try publication()
    let stored = store.load()
    switch stored {
    case .present(let record) where record.generation > generation && isVerified(record):
      try publication.publish(stored, spend: .settled, attempt: publication.lastAttempt)
      return report(on: stored)
    case .ended where !isLogin, .unreadable:
      try publication.publish(stored, spend: .settled, attempt: lastAttempt(on: stored, publication))
      return withoutSession(stored)
    case .present, .missing, .ended: break
    }
    // Before a helper does anything: its answer needs a place.
    let file = try store.reserve()
    let sent = clock.moment
    // A helper may be spending a refresh token of its own.
    guard case .granted(let stay) = machine.take() else { throw .goingDown }
    defer { withExtendedLifetime(stay) {} }
    let supply = try supply(at: sent.wall)
    guard let answer = supply.answer else { return try conclude(supply, stored, file, publication) }
    let last = max(stored.generation, publication.lastTokenGeneration)
    let record = SessionRecord(
      generation: last + 1, accessToken: answer.accessToken, obtained: sent, lifetime: answer.lifetime,
      skew: skew(supply.date), isVerified: supply.verdict.outcome == .success, scope: answer.scope,
      user: answer.user ?? owner(stored))
    // Its source has it still: nothing is lost if the disk does not take it.
    try store.replace(StoreEncoding.encode(record), in: file)
    let attempt = attempt(
      supply.verdict.outcome, after: publication, retryAfter: record.isVerified ? nil : .seconds(900),
      supply.detail)
    try publication.publish(.present(record), spend: .settled, attempt: attempt)
    return report(supply, record.isVerified ? .success : .tryLater)
  }

  private func supply(at now: WallTime) throws(AgentError) -> Supply {
    switch provider.kind {
    case .oidc, .oauth2, .privy: return try supplyOfClient()
    case .command(let command):
      do {
        return try CredentialCommand(provider: name, command: command, timeLimit: provider.requestTimeout)
          .supply(at: now)
      } catch {
        guard error.status == .configuration else { throw error }
        return Supply(verdict: .configuration, detail: error.description)
      }
    case .tokenFile(let path, let lifetime):
      return RotatedFile(path: path, lifetime: lifetime).supply(at: now)
    }
  }

  private func owner(_ stored: StoredSession) -> User {
    if case .present(let record) = stored { record.user } else { owner }
  }

  /// No token: the session stays what it was, unless the source says that it is over.
  private func conclude(
    _ supply: Supply, _ stored: StoredSession, _ file: ReservedFile, _ publication: Publication
  ) throws(AgentError) -> AgentReport {
    let attempt = attempt(
      supply.verdict.outcome, after: publication, retryAfter: supply.retryAfter, supply.detail)
    if supply.verdict.outcome == .definite {
      let tombstone = Tombstone(
        generation: stored.generation, reason: .rejected, ended: clock.moment, token: nil)
      try store.replace(StoreEncoding.encode(tombstone), in: file)
      try publication.publish(.ended(tombstone), spend: .settled, attempt: attempt)
      return report(supply, .loginNeeded)
    }
    try publication.publish(stored, spend: .settled, attempt: attempt)
    return report(supply, supply.verdict.outcome == .configuration ? .configuration : .tryLater)
  }

  private func report(_ supply: Supply, _ status: ExitStatus) -> AgentReport {
    let remarks = supply.remarks.map { "\n\(name): it says: \($0)" }.joined()
    return AgentReport(
      status, "\(name): \(supply.detail) (\(supply.verdict.outcome.name))\(status == .success ? "" : remarks)"
    )
  }
}
