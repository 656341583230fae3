import Scheduling

/// What one poll of the token endpoint means (RFC 8628 section 3.5).
enum PollAnswer {
  case approved(TokenAnswer, date: WallTime?)
  case pending
  case slowDown
  /// Back off exponentially.
  case unreachable(reason: String, retryAfter: Duration?)
  case refused(String)

  init(_ result: Result<HTTPResponse, TransportFailure>) {
    switch result {
    case .success(let response): self.init(response)
    case .failure(let failure): self = .unreachable(reason: failure.reason, retryAfter: nil)
    }
  }

  private init(_ response: HTTPResponse) {
    if let answer = TokenAnswer(response) {
      self = .approved(answer, date: response.date)
      return
    }
    let error = JSONObject.parse(response.body)?.string("error")
    switch error {
    case "authorization_pending": self = .pending
    case "slow_down": self = .slowDown
    case "access_denied": self = .refused("it was denied")
    case "expired_token": self = .refused("the code has expired; start again")
    case .some(let code) where (400...499).contains(response.status) && response.status != 429:
      self = .refused("the server says \(HTTPClient.printable(code))")
    default:
      self = .unreachable(
        reason: "it answered with status \(response.status)", retryAfter: response.retryAfter)
    }
  }
}
