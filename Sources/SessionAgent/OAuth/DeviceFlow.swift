import AuthModel
import Scheduling

/// The device authorization grant (RFC 8628): a person approves elsewhere, we poll.
struct DeviceFlow {
  static let grantType = "urn:ietf:params:oauth:grant-type:device_code"
  /// Slower than this nobody is made to wait, whatever goes wrong.
  static let longestInterval = Duration.seconds(60)

  let provider: ProviderDefinition
  let credentials: ClientCredentials
  let client: HTTPClient
  let clock: SystemClock

  struct Authorization {
    var deviceCode: Secret
    var prompt: DevicePrompt
    var interval: Duration
    var deadline: Instant
  }

  struct Approval {
    var answer: TokenAnswer
    /// When the request that brought the tokens was sent.
    var obtained: Moment
    var date: WallTime?
  }

  func start(at url: String) throws(AgentError) -> Authorization {
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
      let authorization = Authorization(object, started: started)
    else { throw Self.refusal(of: "the device flow", response) }
    return authorization
  }

  /// Polls until the person has decided, the code has expired, or a stop is requested.
  func poll(_ authorization: Authorization, at url: String) throws(AgentError) -> Approval {
    var interval = authorization.interval
    while clock.now.boot + interval < authorization.deadline {
      if client.hold.wait(for: interval) { throw .stopRequested }
      let sent = clock.moment
      let request = try credentials.post(
        url, [("grant_type", .text(Self.grantType)), ("device_code", .secret(authorization.deviceCode))],
        timeout: provider.requestTimeout, isInterruptible: true)
      switch PollAnswer(try client.perform(request)) {
      case .approved(let answer, let date): return Approval(answer: answer, obtained: sent, date: date)
      case .pending: break
      // For this and all subsequent requests (section 3.5).
      case .slowDown: interval = min(interval + .seconds(5), Self.longestInterval)
      case .unreachable(let retryAfter):
        if client.hold.isStopRequested { throw .stopRequested }
        interval = min(max(interval * 2, retryAfter ?? .zero), Self.longestInterval)
      case .refused(let reason): throw .refused(what: "the login", reason: reason)
      }
    }
    throw .refused(what: "the login", reason: "nobody approved it in time; start again")
  }

  static func refusal(of what: String, _ response: HTTPResponse) -> AgentError {
    let code = JSONObject.parse(response.body)?.string("error").map(HTTPClient.printable)
    return .refused(
      what: what,
      reason: code.map { "the server says \($0) (status \(response.status))" }
        ?? "the server answered with status \(response.status) and no explanation")
  }
}

extension DeviceFlow.Authorization {
  /// Nil if a required member is missing (section 3.2).
  init?(_ object: JSONObject, started: Instant) {
    guard let deviceCode = object.secret("device_code"), let userCode = object.string("user_code"),
      // Google's spelling.
      let url = object.string("verification_uri") ?? object.string("verification_url")
    else { return nil }
    let lifetime = max(.zero, object.seconds("expires_in") ?? .seconds(900))
    self.deviceCode = deviceCode
    prompt = DevicePrompt(
      userCode: HTTPClient.printable(userCode), verificationURL: HTTPClient.printable(url),
      completeURL: object.string("verification_uri_complete").map(HTTPClient.printable), expiresIn: lifetime)
    interval = min(
      max(.seconds(1), object.seconds("interval") ?? .seconds(5)), DeviceFlow.longestInterval)
    deadline = started + lifetime
  }
}

/// What one poll of the token endpoint means (RFC 8628 section 3.5).
enum PollAnswer {
  case approved(TokenAnswer, date: WallTime?)
  case pending
  case slowDown
  /// Back off exponentially.
  case unreachable(retryAfter: Duration?)
  case refused(String)

  init(_ result: Result<HTTPResponse, TransportFailure>) {
    guard case .success(let response) = result else {
      self = .unreachable(retryAfter: nil)
      return
    }
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
    default: self = .unreachable(retryAfter: response.retryAfter)
    }
  }
}
