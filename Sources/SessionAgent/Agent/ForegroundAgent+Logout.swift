import AuthModel
import Scheduling

extension ForegroundAgent {
  /// Ends the session: tells the server if it can be told (RFC 7009), then leaves a tombstone.
  ///
  /// A server that can't be reached does not keep anybody logged in here; the report says so.
  public func logout() throws(AgentError) -> AgentReport {
    let lock = try lock()
    defer { withExtendedLifetime(lock) {} }
    let publication = try publication()
    let stored = store.load()
    switch stored {
    case .unreadable(let reason):
      try publication.publish(stored, spend: .settled, attempt: lastAttempt(on: stored, publication))
      throw .store(provider: name, reason: reason)
    case .missing where provider.isSupplied:
      try bury(0, token: nil, publication)
      return AgentReport(.success, "\(name): no token is taken any more, until: nightlatch login \(name)")
    case .missing, .ended:
      try publication.publish(stored, spend: .settled, attempt: publication.lastAttempt)
      return AgentReport(.success, "\(name): there was no session to end")
    case .present(let record):
      discardQuarantine()
      let objection = revoke(record)
      try bury(record.generation, token: record.refreshToken, publication)
      let remark = objection.map { "; the server was not told: \($0)" } ?? ""
      return AgentReport(.success, "\(name): logged out\(remark)")
    }
  }

  /// Ends a session at the server: the refresh token first, because its end is the session's end; then the
  /// access token, which some servers leave alive. Nil if the server was told, else why it was not.
  func revoke(_ record: SessionRecord) -> String? {
    do {
      let queries = TokenQueries(
        provider: provider, credentials: try credentials(), client: client,
        endpoints: try endpoints(needed: [\.revocation]))
      if let token = record.refreshToken, let objection = try queries.revoke(token, hint: "refresh_token") {
        return objection
      }
      return try queries.revoke(record.accessToken, hint: "access_token")
    } catch {
      return error.description
    }
  }

  private func bury(_ generation: UInt64, token: Secret?, _ publication: Publication) throws(AgentError) {
    let tombstone = Tombstone(
      generation: generation, reason: .loggedOut, ended: clock.moment, token: token.map { TokenHash(of: $0) })
    try store.replace(StoreEncoding.encode(tombstone), in: try store.reserve())
    try? SpendJournal.clear(journalPath)
    try publication.publish(.ended(tombstone), spend: .settled, attempt: nil)
  }
}
