import AuthModel

/// The request that spends a refresh token (RFC 6749 section 6), ready to be repeated.
struct RefreshExchange {
  let agent: ForegroundAgent
  let credentials: ClientCredentials
  let url: String
  let token: Secret
  /// The session that the token belongs to; nil for one that is being imported.
  var record: SessionRecord?

  struct Outcome {
    var verdict: RefreshVerdict
    var result: Result<HTTPResponse, TransportFailure>
    var answer: TokenAnswer?
    /// What happened, for people; without secrets.
    var detail: String
  }

  /// - Throws: only before anything is sent.
  func perform() throws(AgentError) -> Outcome {
    let result: Result<HTTPResponse, TransportFailure>
    var answer: TokenAnswer?
    let exchange: Exchange
    if case .privy(let app) = agent.provider.kind {
      let session = PrivySession(
        app: app, clientID: credentials.clientID, machine: agent.store.machine, record: record)
      result = try agent.client.perform(
        session.request(url, spending: token, timeout: agent.provider.requestTimeout))
      switch result {
      case .failure: exchange = Exchange(result, answer: nil)
      case .success(let response):
        let (body, read) = session.read(response, at: agent.clock.now, in: agent.clock.bootID)
        (exchange, answer) = (.answered(status: response.status, body: body), read)
      }
    } else {
      // The scope is left out: the same as before (section 6).
      let request = try credentials.post(
        url, [("grant_type", .text("refresh_token")), ("refresh_token", .secret(token))],
        timeout: agent.provider.requestTimeout, isInterruptible: false)
      result = try agent.client.perform(request)
      if case .success(let response) = result { answer = TokenAnswer(response) }
      exchange = Exchange(result, answer: answer)
    }
    return Outcome(
      verdict: agent.table.verdict(on: exchange), result: result, answer: answer,
      detail: exchange.detail(of: result, from: HTTPClient.host(url)))
  }
}

extension Exchange {
  /// What happened, for people.
  func detail(of result: Result<HTTPResponse, TransportFailure>, from host: String) -> String {
    switch (self, result) {
    case (.notSent, .failure(let failure)): return "\(host) could not be reached (\(failure.reason))"
    case (_, .failure(let failure)): return "the answer of \(host) never came (\(failure.reason))"
    case (.answered(let status, .error(let code)), _):
      return "\(host) says \(HTTPClient.printable(code)) (status \(status))"
    case (.answered(let status, let body), _):
      return "\(host) answered with status \(status) and \(body.words)"
    default: return "\(host) did not answer"
    }
  }
}

extension Exchange.Body {
  /// What it was, for people.
  var words: String {
    switch self {
    case .empty: "no body"
    case .notJSON: "a page instead of JSON: a captive portal or a firewall may be in between"
    case .brokenJSON: "broken JSON"
    case .error(let code): HTTPClient.printable(code)
    case .neither: "neither a token nor an error"
    case .token: "a token"
    case .expiredToken: "a token that has expired already: one of the two clocks is wrong"
    case .unusableTokenType: "a token that is no bearer token"
    case .cleared: "the word that the session is over"
    case .notRenewed: "no new token, although the one that it left us has expired"
    case .cookieMode: PrivySession.cookieModeExplanation
    }
  }
}
