import AuthModel
import Scheduling

extension RefreshPhase {
  /// Acts on an answer, or on there being none; nil if the plan has another step.
  func settle(
    _ outcome: RefreshExchange.Outcome, sent: Moment, in file: ReservedFile
  ) throws(AgentError) -> AgentReport? {
    lastDetail = outcome.detail
    switch outcome.verdict.isSpent {
    case .yes:
      guard let answer = outcome.answer, case .success(let response) = outcome.result else { return nil }
      return try keep(answer, response, outcome.verdict.outcome, sent: sent, in: file)
    case .maybe: return nil
    case .no: return try settleUnspent(outcome, in: file)
    }
  }

  private func settleUnspent(
    _ outcome: RefreshExchange.Outcome, in file: ReservedFile
  ) throws(AgentError) -> AgentReport? {
    let wasAmbiguous = journal.history.isDamaged || journal.history.open.count > 1
    if outcome.verdict.outcome == .definite {
      return try endDefinitely(wasAmbiguous: wasAmbiguous, in: file, outcome.detail)
    }
    // If this can't be written the spend stays open, and the next phase takes the longer way.
    try? journal.append(.unspent(generation: record.generation))
    var retryAfter: Duration?
    if case .success(let response) = outcome.result { retryAfter = response.retryAfter }
    switch outcome.verdict.outcome {
    case .rejectedUnknown: return try refused(outcome.detail)
    case .transient where retryAfter == nil && mayInsist(): return nil
    default: return try conclude(outcome.verdict.outcome, retryAfter: retryAfter, outcome.detail)
    }
  }

  private func refused(_ detail: String) throws(AgentError) -> AgentReport {
    let hash = TokenHash(of: token)
    try journal.append(.refused(hash, at: agent.clock.moment))
    guard journal.history.refusals.count >= RecoveryPlan.refusalLimit else {
      return try conclude(.rejectedUnknown, retryAfter: RecoveryPlan.refusalSpacing, detail)
    }
    try journal.append(.parked(hash, .refused))
    return try conclude(parked: .refused)
  }

  /// The server says that the session is over. Unless somebody else has put another one in the store
  /// meanwhile, it is.
  private func endDefinitely(
    wasAmbiguous: Bool, in file: ReservedFile, _ detail: String
  ) throws(AgentError) -> AgentReport {
    if case .present(let other) = agent.store.load(), let theirs = other.refreshToken, !theirs.equals(token) {
      try? journal.append(.settled(generation: record.generation))
      return try adopt(other)
    }
    return try end(wasAmbiguous ? .lostRotation : .rejected, in: file, detail)
  }

  /// Leaves a tombstone.
  func end(
    _ reason: UnauthenticatedReason, in file: ReservedFile, _ detail: String
  ) throws(AgentError) -> AgentReport {
    let tombstone = Tombstone(
      generation: record.generation, reason: reason, ended: agent.clock.moment, token: TokenHash(of: token))
    try agent.store.replace(StoreEncoding.encode(tombstone), in: file)
    try? journal.append(.settled(generation: record.generation))
    let lost = reason == .lostRotation
    let fault =
      record.isRefreshTokenSpent
      ? "; the server is to blame: it had handed out a refresh token that was spent before" : ""
    let message = (lost ? "the answer to an earlier refresh was lost, and \(detail)" : detail) + fault
    try publication.publish(
      .ended(tombstone), spend: .settled, attempt: attempt(lost ? .lostRotation : .definite, nil, message))
    return AgentReport(
      .loginNeeded,
      "\(agent.name): the session is over (\(reason)): \(message); log in with: nightlatch login \(agent.name)"
    )
  }

  /// Another process has rotated: its session is ours.
  func adopt(_ other: SessionRecord) throws(AgentError) -> AgentReport {
    try publication.publish(.present(other), spend: .settled, attempt: publication.lastAttempt)
    return AgentReport(
      .success, "\(agent.name): another process has just refreshed the session; using its token")
  }
}
