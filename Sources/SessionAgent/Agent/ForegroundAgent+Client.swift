import AuthModel
import Scheduling

extension ForegroundAgent {
  /// A token for the client itself (RFC 6749 section 4.4). There is no person and no refresh token, so
  /// nothing can be lost: each phase simply asks for a new one.
  func supplyOfClient() throws(AgentError) -> Supply {
    let result: Result<HTTPResponse, TransportFailure>
    let url: String
    do { (result, url) = try requestToken() } catch {
      if error.isStop { throw error }
      return Supply(
        verdict: error.status == .configuration ? .configuration : .transient, detail: error.description)
    }
    if case .failure = result, hold.isStopRequested { throw .stopRequested }
    var supply = Supply(verdict: .transient, detail: "")
    if case .success(let response) = result {
      supply.answer = TokenAnswer(response)
      (supply.date, supply.retryAfter) = (response.date, response.retryAfter)
    }
    let exchange = Exchange(result, answer: supply.answer)
    supply.verdict = table.verdict(on: exchange).withoutSession
    supply.detail = exchange.detail(of: result, from: HTTPClient.host(url))
    switch supply.verdict.outcome {
    case .success, .clockSuspect: supply.answer?.user = owner
    default: supply.answer = nil
    }
    return supply
  }

  private func requestToken() throws(AgentError) -> (Result<HTTPResponse, TransportFailure>, url: String) {
    guard let url = try endpoints(needed: [\.token]).token else {
      throw .missingEndpoint(provider: name, endpoint: "token")
    }
    var parameters: [(name: String, value: ClientCredentials.FormValue)] = [
      ("grant_type", .text(ProviderDefinition.Grant.clientCredentials.rawValue))
    ]
    if !provider.scopes.isEmpty {
      parameters.append(("scope", .text(provider.scopes.joined(separator: " "))))
    }
    let request = try credentials().post(
      url, parameters, timeout: provider.requestTimeout, isInterruptible: true)
    return (try client.perform(request), url)
  }
}

extension RefreshVerdict {
  /// The same where there is no session that could end and no token that could be spent: a server that
  /// refuses the client for good objects to the provider file.
  fileprivate var withoutSession: RefreshVerdict {
    switch outcome {
    case .definite, .lostRotation: .configuration
    case .ambiguous: .transient
    case .success, .clockSuspect, .transient, .rejectedUnknown, .configuration, .spentToken: self
    }
  }
}
