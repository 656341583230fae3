import AuthModel
import Scheduling

extension ForegroundAgent {
  /// Begins a session, and replaces whatever session there was.
  ///
  /// - Parameters:
  ///   - method: nil: the device flow where the provider has one, because it works from anywhere, else
  ///     the browser. A provider whose grant is the client's own credentials has no other way in.
  ///   - tell: tells the person what to do, and how long there is time for it.
  public func login(
    _ method: LoginMethod? = nil, tell: (LoginStep) -> Void
  ) throws(AgentError) -> AgentReport {
    if case .unreadable(let reason) = store.load() { throw .store(provider: name, reason: reason) }
    if provider.isSupplied {
      guard method == nil else {
        throw .refused(what: "the login", reason: "this provider's tokens are for the taking: nobody logs in")
      }
      return try resupply(newerThan: store.load().generation, isLogin: true)
    }
    let metadata = try metadata(needed: needed(by: method))
    guard let token = metadata.endpoints.token else {
      throw .missingEndpoint(provider: name, endpoint: "token")
    }
    let credentials = try credentials()
    // What can fail should do so before a person has done their part.
    try providerKeys(metadata)?.prepare(now: clock.now.wall)
    var ground: LoginGround?
    let answer: LoginAnswer
    switch try fitting(method, metadata) {
    case .device:
      let flow = DeviceFlow(provider: provider, credentials: credentials, client: client, clock: clock)
      let authorization = try flow.start(
        at: try url(metadata.endpoints.deviceAuthorization, "device authorization"))
      tell(.device(authorization.prompt))
      answer = try flow.poll(authorization, at: token, tell: tell)
    case .browser:
      let flow = CodeFlow(
        provider: provider, issuer: issuer, metadata: metadata, credentials: credentials, client: client,
        clock: clock)
      answer = try flow.run(
        authorization: try url(metadata.endpoints.authorization, "authorization"), token: token, tell: tell)
    case .refreshToken(let imported):
      // What it is spent for must find its place, whatever happens meanwhile.
      guard case .granted(let stay) = machine.take() else { throw .goingDown }
      ground = try self.ground(stay)
      answer = try redeem(imported, credentials, at: token)
    }
    let queries = TokenQueries(
      provider: provider, credentials: credentials, client: client, endpoints: metadata.endpoints)
    if let ground { return try begin(answer, metadata, queries, on: ground) }
    return try begin(answer, metadata, queries, on: try self.ground(nil))
  }

  private func needed(by method: LoginMethod?) -> [KeyPath<ProviderDefinition.Endpoints, String?>] {
    switch method {
    case .device, nil: [\.token, \.deviceAuthorization, \.jwks]
    case .browser: [\.token, \.authorization, \.jwks]
    case .refreshToken: [\.token, \.jwks]
    }
  }

  private func fitting(
    _ method: LoginMethod?, _ metadata: ServerMetadata
  ) throws(AgentError) -> LoginMethod {
    if let method { return method }
    if case .privy = provider.kind {
      throw .refused(
        what: "the login",
        reason:
          "Privy's sessions begin in its app; bring the refresh token here with nightlatch login --import")
    }
    if metadata.endpoints.deviceAuthorization != nil { return .device }
    if metadata.endpoints.authorization != nil { return .browser }
    throw .missingEndpoint(provider: name, endpoint: "device authorization or authorization")
  }

  private func url(_ url: String?, _ endpoint: String) throws(AgentError) -> String {
    guard let url else { throw .missingEndpoint(provider: name, endpoint: endpoint) }
    return url
  }

  /// Verifies a refresh token by spending it. Nothing is stored yet that could be lost.
  private func redeem(
    _ token: Secret, _ credentials: ClientCredentials, at url: String
  ) throws(AgentError) -> LoginAnswer {
    guard token.isVisibleASCII else {
      throw .refused(
        what: "the import", reason: "this is not a refresh token: it must be one word of visible characters")
    }
    if case .privy = provider.kind, token.equals(Secret(PrivySession.cookieMode)) {
      throw .refused(what: "the import", reason: "this is \(PrivySession.cookieModeExplanation)")
    }
    let sent = clock.moment
    let outcome = try RefreshExchange(agent: self, credentials: credentials, url: url, token: token).perform()
    guard outcome.verdict.isSpent == .yes, var answer = outcome.answer,
      case .success(let response) = outcome.result
    else {
      let doubt = outcome.verdict.isSpent == .maybe ? "; nobody knows whether it used the token up" : ""
      throw .refused(what: "the import", reason: outcome.detail + doubt)
    }
    answer.refreshToken = answer.refreshToken ?? token
    return LoginAnswer(answer: answer, obtained: sent, date: response.date, isSpent: true)
  }
}
