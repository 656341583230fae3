import AuthModel
import Scheduling

extension RefreshPhase {
  /// Ends the phase without a new token: the session stays what it was.
  ///
  /// - Parameter isAttempt: false if it was too early for one, which is not a failure more.
  func conclude(
    _ outcome: AttemptClass, retryAfter: Duration?, _ detail: String, isAttempt: Bool = true
  ) throws(AgentError) -> AgentReport {
    var attempt = attempt(outcome, retryAfter, detail)
    if !isAttempt { attempt.failures = publication.lastAttempt?.failures ?? 1 }
    try publication.publish(
      .present(record), spend: journal.history.isAmbiguous ? .ambiguous : .settled,
      attempt: attempt)
    let next = retryAfter.map { "; next try in \($0.components.seconds) s" } ?? ""
    return AgentReport(
      outcome == .configuration ? .configuration : .tryLater,
      "\(agent.name): not refreshed (\(outcome.name)): \(detail); the session was kept\(next)")
  }

  /// Ends it before anything was sent.
  func conclude(_ error: AgentError) throws(AgentError) -> AgentReport {
    if error.isStop {
      try publication.publish(
        .present(record), spend: journal.history.isAmbiguous ? .ambiguous : .settled,
        attempt: publication.lastAttempt)
      throw error
    }
    let outcome: AttemptClass = error.status == .configuration ? .configuration : .transient
    return try conclude(outcome, retryAfter: nil, error.description)
  }

  /// Ends it for good: only a login helps.
  func conclude(parked reason: ParkReason) throws(AgentError) -> AgentReport {
    let because = hasSent ? ": \(lastDetail)" : ""
    let detail =
      switch reason {
      case .refused:
        "refused \(RecoveryPlan.refusalLimit) times without a reason that is understood\(because)"
      case .lost:
        "the answer to a refresh was lost, and so was the last attempt to get it again\(because)"
      case .otherIdentity: "the server answered for somebody else\(because)"
      }
    if journal.history.parked == nil { try journal.append(.parked(TokenHash(of: token), reason)) }
    let outcome: AttemptClass = reason == .lost ? .ambiguous : .rejectedUnknown
    try publication.publish(
      .present(record), spend: journal.history.isAmbiguous ? .ambiguous : .settled,
      attempt: attempt(outcome, nil, detail))
    return AgentReport(
      .loginNeeded,
      "\(agent.name): \(detail); the session was kept but is parked: log in with: nightlatch login \(agent.name)"
    )
  }

  func attempt(_ outcome: AttemptClass, _ retryAfter: Duration?, _ detail: String) -> Snapshot.Attempt {
    agent.attempt(outcome, after: publication, retryAfter: retryAfter, detail)
  }
}
