import AuthModel
import Scheduling

/// The authorization code grant for a program on a person's machine (RFC 6749 section 4.1, RFC 8252),
/// with PKCE (RFC 7636).
struct CodeFlow {
  /// How long a person may take.
  static let patience = Duration.seconds(600)

  let provider: ProviderDefinition
  let issuer: String?
  let metadata: ServerMetadata
  let credentials: ClientCredentials
  let client: HTTPClient
  let clock: SystemClock

  func run(authorization: String, token: String, tell: (LoginStep) -> Void) throws(AgentError) -> LoginAnswer
  {
    guard HTTPClient.isAllowed(authorization) else { throw .insecureURL(HTTPClient.printable(authorization)) }
    let (request, code) = try obtainCode(at: authorization, tell)
    return try redeem(code, of: request, at: token)
  }

  /// The listener lives as long as this.
  private func obtainCode(
    at url: String, _ tell: (LoginStep) -> Void
  ) throws(AgentError) -> (AuthorizationRequest, Secret) {
    let listener = try LoopbackListener(provider.redirect, hold: client.hold)
    let request = AuthorizationRequest(provider, redirectURI: listener.uri)
    let expected = AuthorizationResponse.Expectation(
      state: request.state, issuer: issuer, namesIssuer: metadata.namesIssuerInResponse)
    let deadline = clock.now.boot + Self.patience
    tell(.browser(url: request.url(at: url)))
    let answer: Result<Secret, AgentError> = try listener.wait(
      until: deadline,
      judge: { query in
        let response = AuthorizationResponse(query, expected: expected)
        return (response.reply, response.answer)
      },
      whileWaiting: { tell(.waiting(left: deadline - clock.now.boot, remark: nil)) })
    return (request, try answer.get())
  }

  /// A code is good for one attempt: a request that may have arrived is not repeated.
  private func redeem(
    _ code: Secret, of request: AuthorizationRequest, at url: String
  ) throws(AgentError) -> LoginAnswer {
    let parameters: [(name: String, value: ClientCredentials.FormValue)] = [
      ("grant_type", .text("authorization_code")), ("code", .secret(code)),
      ("redirect_uri", .text(request.redirectURI)), ("code_verifier", .secret(request.proof.verifier)),
    ]
    var attempt = 1
    while true {
      let sent = clock.moment
      let post = try credentials.post(
        url, parameters, timeout: provider.requestTimeout, isInterruptible: false)
      switch try client.perform(post) {
      case .failure(let failure) where !failure.mayHaveBeenSent && attempt < 5:
        if client.hold.wait(for: .seconds(attempt)) { throw .stopRequested }
        attempt += 1
      case .failure(let failure):
        throw .refused(
          what: "the login", reason: "\(HTTPClient.host(url)) did not answer (\(failure.reason)); start again"
        )
      case .success(let response):
        guard let answer = TokenAnswer(response) else { throw .refusal(of: "the login", response) }
        return LoginAnswer(answer: answer, obtained: sent, date: response.date, nonce: request.nonce)
      }
    }
  }
}
