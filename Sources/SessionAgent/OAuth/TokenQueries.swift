import AuthModel
import Scheduling

/// Questions about tokens that spend nothing.
struct TokenQueries {
  let provider: ProviderDefinition
  let credentials: ClientCredentials
  let client: HTTPClient
  let endpoints: ProviderDefinition.Endpoints

  /// Whether a refresh token is still good (RFC 7662); nil if the server could not be asked.
  func isActive(refreshToken: Secret) throws(AgentError) -> Bool? {
    guard let url = endpoints.introspection else { return nil }
    guard let object = try ask(url, refreshToken, hint: "refresh_token") else { return nil }
    if object.isTrue("active") { return true }
    return object.isFalse("active") ? false : nil
  }

  /// Who an access token belongs to: from the userinfo endpoint, or else from introspection; nil if
  /// neither knows.
  func user(of accessToken: Secret) throws(AgentError) -> User? {
    if let url = endpoints.userinfo, let user = try userinfo(url, accessToken) { return user }
    guard let url = endpoints.introspection, let object = try ask(url, accessToken, hint: "access_token"),
      object.isTrue("active"), let id = object.string("sub") ?? object.string("username")
    else { return nil }
    return User(id: id, name: object.string("username"))
  }

  /// OpenID Connect Core section 5.3.
  private func userinfo(_ url: String, _ accessToken: Secret) throws(AgentError) -> User? {
    let bearer = Secret()
    bearer.append("Bearer ")
    bearer.append(accessToken)
    let request = HTTPRequest.get(url, authorization: bearer, timeout: provider.requestTimeout)
    guard case .success(let response) = try client.perform(request), response.status == 200,
      let object = JSONObject.parse(response.body), let subject = object.string("sub")
    else { return nil }
    return User(subject: subject, object)
  }

  /// Ends a token at the server (RFC 7009); nil if it was told, else why it was not.
  ///
  /// A server that is busy is asked three times in all, a few seconds apart: until then the token lives
  /// (section 2.2.1).
  func revoke(_ token: Secret, hint: String) throws(AgentError) -> String? {
    guard let url = endpoints.revocation else { return "the provider has no revocation endpoint" }
    var tries = 3
    while true {
      tries -= 1
      let pause: Duration
      switch try client.perform(try request(url, token, hint)) {
      case .failure(let failure) where tries == 0: return failure.reason
      case .failure: pause = .seconds(1)
      // An unknown token is a success too (section 2.2), and a server that only revokes refresh tokens
      // takes their access tokens with them.
      case .success(let response) where response.status == 200 || Self.isUnsupportedType(response): return nil
      case .success(let response) where response.status == 503 && tries > 0:
        pause = min(response.retryAfter ?? .seconds(1), .seconds(5))
      case .success(let response): return "it answered with status \(response.status)"
      }
      if client.hold.wait(for: pause) { return "stopped as asked" }
    }
  }

  private static func isUnsupportedType(_ response: HTTPResponse) -> Bool {
    JSONObject.parse(response.body)?.string("error") == "unsupported_token_type"
  }

  private func ask(_ url: String, _ token: Secret, hint: String) throws(AgentError) -> JSONObject? {
    guard case .success(let response) = try client.perform(try request(url, token, hint)),
      response.status == 200
    else { return nil }
    return JSONObject.parse(response.body)
  }

  private func request(_ url: String, _ token: Secret, _ hint: String) throws(AgentError) -> HTTPRequest {
    try credentials.post(
      url, [("token", .secret(token)), ("token_type_hint", .text(hint))], timeout: provider.requestTimeout,
      isInterruptible: true)
  }
}
