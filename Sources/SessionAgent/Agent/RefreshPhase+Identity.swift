import AuthModel
import Scheduling

extension RefreshPhase {
  /// What the ID token of a refresh answer is worth.
  enum Trust {
    /// It proves that the session is still the same person's; or there is none, which is fine.
    case proven(IDToken?)
    /// The same, if the provider has a key that we have not seen yet.
    case pending(IDToken, ProviderKeys)
    /// It can't be believed. The session is kept, and stays unverified.
    case doubtful(IDToken.Rejection)
  }

  /// Judges the answer's ID token without any network (OpenID Connect Core section 12.2).
  ///
  /// - Throws: if the answer is somebody else's; `renewed` then bears that name.
  func identify(_ answer: TokenAnswer, _ renewed: inout SessionRecord) throws(IDToken.Rejection) -> Trust {
    if let user = answer.user {
      // Privy says it beside the token.
      renewed.user = user
      guard record.issuer == nil || user.id == record.user.id else { throw .subject }
      renewed.issuer = PrivySession.issuer
    }
    guard let text = answer.idToken else { return .proven(nil) }
    let idToken: IDToken
    do { idToken = try IDToken(text, signedWith: agent.provider.idTokenAlgorithm) } catch {
      return .doubtful(error)
    }
    let expected = IDToken.Expectation(
      issuer: record.issuer ?? agent.issuer, clientID: agent.provider.clientID,
      subject: record.issuer == nil ? nil : record.user.id)
    do { try idToken.checkIdentity(expected) } catch {
      // Nobody else's as long as it is not known whose the session is.
      guard record.issuer != nil else { return .doubtful(error) }
      renewed.user = idToken.user
      throw error
    }
    do { try idToken.checkTime(serverNow: agent.clock.now.wall + renewed.skew) } catch {
      return .doubtful(error)
    }
    return signatureTrust(idToken)
  }

  private func signatureTrust(_ idToken: IDToken) -> Trust {
    switch keys {
    case .failure(let error): return .doubtful(.keysUnavailable(error.description))
    case .success(nil): return .proven(idToken)
    case .success(let keys?):
      switch keys.cachedJudgement(on: idToken) {
      case .signed: return .proven(idToken)
      case .forged: return .doubtful(.signature)
      case .unknownKey, nil: return .pending(idToken, keys)
      }
    }
  }

  /// Everything about the provider's keys that may take a while, before anything is at stake. While the
  /// fate of an earlier send is open nothing may take a while: its reuse window is running out.
  func findKeys() -> Result<ProviderKeys?, AgentError> {
    do {
      let keys = agent.providerKeys(try agent.metadata(needed: [\.token, \.jwks]))
      if !journal.history.isAmbiguous { try keys?.prepare(now: agent.clock.now.wall) }
      return .success(keys)
    } catch {
      return .failure(error)
    }
  }

  /// The server answered with somebody else's tokens (OpenID Connect Core section 12.2): they are put
  /// aside, nobody is told of them, and the store stays as it is.
  func quarantine(_ foreign: SessionRecord, _ rejection: IDToken.Rejection) throws(AgentError) -> AgentReport
  {
    lastDetail = rejection.description
    let store = agent.quarantine
    // It only serves to revoke them later.
    try? store.replace(StoreEncoding.encode(foreign), in: try store.reserve())
    return try conclude(parked: .otherIdentity)
  }
}

extension SessionRecord {
  /// What an ID token that is believed says of the person.
  mutating func takeOver(_ idToken: IDToken) {
    user = issuer == nil ? idToken.user : user.updated(by: idToken.user)
    issuer = idToken.issuer
    // That of the original authentication, whatever a later token says.
    authTime = authTime ?? idToken.authTime
  }
}

extension User {
  /// The same person; what a later ID token leaves out stays what it was.
  fileprivate func updated(by later: User) -> User {
    var user = self
    user.name = later.name ?? name
    user.email = later.email ?? email
    user.username = later.username ?? username
    return user
  }
}
