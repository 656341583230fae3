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
    return User(id: subject, name: object.string("name") ?? object.string("preferred_username"))
  }

  /// Ends the session at the server (RFC 7009); nil if it was told, else why it was not.
  func revoke(_ token: Secret, hint: String) throws(AgentError) -> String? {
    guard let url = endpoints.revocation else { return "the provider has no revocation endpoint" }
    switch try client.perform(try request(url, token, hint)) {
    case .failure(let failure): return failure.reason
    // An unknown token is a success too (section 2.2).
    case .success(let response) where response.status == 200: return nil
    case .success(let response): return "it answered with status \(response.status)"
    }
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
