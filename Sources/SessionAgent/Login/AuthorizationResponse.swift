/// What a request to the loopback listener means for the login.
enum AuthorizationResponse {
  /// Not an answer to our request: without its `state`, or not an answer at all.
  case stranger
  case code(Secret)
  /// The server, or the person, said no; or the answer comes from another server than ours.
  case refused(String)

  /// Who must have answered.
  struct Expectation {
    var state: Secret
    /// Nil: a provider without an issuer.
    var issuer: String?
    /// Whether the server has announced that it names itself (RFC 9207 section 3).
    var namesIssuer: Bool
  }

  init(_ query: Secret, expected: Expectation) {
    guard let parameters = query.withBytes({ QueryParameters($0) }),
      // Compared in constant time.
      let state = parameters.secret("state"), state.equals(expected.state)
    else {
      self = .stranger
      return
    }
    if let objection = Self.objection(to: parameters.text("iss"), expected) {
      self = .refused(objection)
    } else if let error = parameters.text("error") {
      self = .refused(Self.words(error, parameters.text("error_description")))
    } else if let code = parameters.secret("code"), code.isVisibleASCII {
      self = .code(code)
    } else {
      self = .refused("the server sent the browser back without a code")
    }
  }

  /// What the browser is shown.
  var reply: LoopbackReply {
    switch self {
    case .stranger: .stranger
    case .code: .welcome
    case .refused: .denied
    }
  }

  /// The end of the wait; nil: it goes on.
  var answer: Result<Secret, AgentError>? {
    switch self {
    case .stranger: nil
    case .code(let code): .success(code)
    case .refused(let reason): .failure(.refused(what: "the login", reason: reason))
    }
  }

  /// A code of another server must not be shown to ours, nor ours to another (RFC 9207 section 2.4).
  private static func objection(to issuer: String?, _ expected: Expectation) -> String? {
    guard let issuer else {
      return expected.namesIssuer
        ? "the answer does not name its issuer, and the server has announced that it would" : nil
    }
    guard let ours = expected.issuer, ours != issuer else { return nil }
    return "the answer comes from another issuer, \(HTTPClient.printable(issuer))"
  }

  private static func words(_ error: String, _ description: String?) -> String {
    let words = description.map { ": \(HTTPClient.printable($0))" } ?? ""
    return error == "access_denied" && words.isEmpty
      ? "it was denied" : "the server says \(HTTPClient.printable(error))\(words)"
  }
}
