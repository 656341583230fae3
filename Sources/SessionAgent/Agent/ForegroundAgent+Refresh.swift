import AuthModel
import Scheduling

extension ForegroundAgent {
  /// Verifies the session: spends the refresh token, unless another process has just done so.
  ///
  /// - Parameter generation: the access token that is not good enough any more. A store with a newer
  ///   one is adopted instead of spending again. Nil: the one in the store when this is called.
  public func refresh(newerThan generation: UInt64? = nil) throws(AgentError) -> AgentReport {
    let known = generation ?? store.load().generation
    if provider.isSupplied { return try resupply(newerThan: known) }
    let lock = try lock()
    defer { withExtendedLifetime(lock) {} }
    let publication = try publication()
    let isRescued: Bool
    do { isRescued = try store.adoptRescued() } catch { return try refuseToSpend(error, publication) }
    let stored = store.load()
    guard case .present(let record) = stored else {
      try publication.publish(stored, spend: .settled, attempt: lastAttempt(on: stored, publication))
      return withoutSession(stored)
    }
    guard let token = record.refreshToken else {
      try publication.publish(stored, spend: .settled, attempt: publication.lastAttempt)
      return withoutRefreshToken(record)
    }
    let journal: SpendJournal
    do {
      journal = try SpendJournal(
        path: journalPath, generation: record.generation, token: TokenHash(of: token))
    } catch {
      // Without a journal nothing is spent; what the store holds is told all the same.
      try publication.publish(
        stored, spend: spendState(of: stored), attempt: attempt(.transient, after: publication, "\(error)"))
      throw error
    }
    let phase = RefreshPhase(
      agent: self, publication: publication, journal: journal, record: record, token: token)
    if record.generation > known || isRescued, isVerified(record), !journal.history.isAmbiguous {
      return try phase.adopt(record)
    }
    return try phase.run()
  }

  /// A pair that could only be rescued is not on disk yet: spending its refresh token could lose both.
  private func refuseToSpend(_ error: AgentError, _ publication: Publication) throws(AgentError)
    -> AgentReport
  {
    let detail = "the token pair that was rescued can't be stored yet: \(error)"
    let stored = store.load()
    try publication.publish(
      stored, spend: spendState(of: stored), attempt: attempt(.transient, after: publication, detail))
    return AgentReport(.tryLater, "\(name): \(detail)")
  }

  /// An attempt that ends now. Failures in a row are counted over processes, within one boot.
  func attempt(
    _ outcome: AttemptClass, after publication: Publication, retryAfter: Duration? = nil, _ detail: String
  ) -> Snapshot.Attempt {
    let failures = publication.lastAttempt?.failures ?? 0
    return Snapshot.Attempt(
      outcome: outcome, ended: clock.moment, retryAfter: retryAfter,
      failures: outcome.isSuccess ? 0 : failures == .max ? .max : failures + 1, detail: detail)
  }

  func isVerified(_ record: SessionRecord) -> Bool {
    let snapshot = Snapshot(generation: 0, published: clock.moment, session: .present(record.published))
    if case .authenticated = snapshot.authState(at: clock.now, in: clock.bootID) { return true }
    return false
  }

  func withoutSession(_ stored: StoredSession) -> AgentReport {
    var report = report(on: stored)
    if report.status == .success { report.status = .loginNeeded }
    return report
  }

  private func withoutRefreshToken(_ record: SessionRecord) -> AgentReport {
    isVerified(record)
      ? AgentReport(.success, "\(name): the session is verified; the server gave no refresh token for it")
      : AgentReport(
        .loginNeeded,
        "\(name): the access token has expired and the server gave no refresh token; log in again with: "
          + "nightlatch login \(name)")
  }
}
