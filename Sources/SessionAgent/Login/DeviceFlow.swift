import AuthModel
import Scheduling

/// The device authorization grant (RFC 8628): a person approves elsewhere, we poll.
struct DeviceFlow {
  static let grantType = "urn:ietf:params:oauth:grant-type:device_code"

  let provider: ProviderDefinition
  let credentials: ClientCredentials
  let client: HTTPClient
  let clock: SystemClock

  func start(at url: String) throws(AgentError) -> DeviceAuthorization {
    var parameters: [(name: String, value: ClientCredentials.FormValue)] = []
    if !provider.scopes.isEmpty {
      parameters.append(("scope", .text(provider.scopes.joined(separator: " "))))
    }
    let request = try credentials.post(
      url, parameters, timeout: provider.requestTimeout, isInterruptible: true)
    let started = clock.now.boot
    let response: HTTPResponse
    switch try client.perform(request) {
    case .failure(let failure):
      if client.hold.isStopRequested { throw .stopRequested }
      throw .request(host: HTTPClient.host(url), reason: failure.reason)
    case .success(let success): response = success
    }
    guard response.status == 200, let object = JSONObject.parse(response.body),
      let authorization = DeviceAuthorization(object, started: started)
    else { throw .refusal(of: "the device flow", response) }
    return authorization
  }

  /// Polls until the person has decided, the code has expired, or a stop is requested.
  func poll(
    _ authorization: DeviceAuthorization, at url: String, tell: (LoginStep) -> Void
  ) throws(AgentError) -> LoginAnswer {
    var pacing = DevicePacing(interval: authorization.interval)
    var remark: String?
    while clock.now.boot + pacing.pause < authorization.deadline {
      try wait(pacing.pause, authorization.deadline, remark, tell)
      let sent = clock.moment
      let request = try credentials.post(
        url, [("grant_type", .text(Self.grantType)), ("device_code", .secret(authorization.deviceCode))],
        timeout: provider.requestTimeout, isInterruptible: true)
      remark = nil
      switch PollAnswer(try client.perform(request)) {
      case .approved(let answer, let date): return LoginAnswer(answer: answer, obtained: sent, date: date)
      case .pending: pacing.reached()
      case .slowDown: pacing.slowedDown()
      case .unreachable(let reason, let retryAfter):
        pacing.unreachable(retryAfter: retryAfter)
        remark = "\(HTTPClient.host(url)): \(reason)"
      case .refused(let reason): throw .refused(what: "the login", reason: reason)
      }
    }
    throw .refused(what: "the login", reason: "the code has expired, nobody approved it in time; start again")
  }

  private func wait(
    _ pause: Duration, _ deadline: Instant, _ remark: String?, _ tell: (LoginStep) -> Void
  ) throws(AgentError) {
    let end = clock.now.boot + pause
    while clock.now.boot < end {
      tell(.waiting(left: deadline - clock.now.boot, remark: remark))
      if client.hold.wait(for: min(.seconds(1), end - clock.now.boot)) { throw .stopRequested }
    }
  }
}

extension AgentError {
  /// A server's refusal, in its own words if it has any.
  static func refusal(of what: String, _ response: HTTPResponse) -> AgentError {
    let object = JSONObject.parse(response.body)
    guard let code = object?.string("error").map(HTTPClient.printable) else {
      return .refused(
        what: what, reason: "the server answered with status \(response.status) and no explanation")
    }
    let words = object?.string("error_description").map { ": \(HTTPClient.printable($0))" } ?? ""
    return .refused(what: what, reason: "the server says \(code) (status \(response.status))\(words)")
  }
}
