import Scheduling

/// One request to an identity provider.
struct HTTPRequest {
  enum Method { case get, post }

  var method: Method
  var url: String
  var body: Secret?
  /// What the body is; nil: a form (`application/x-www-form-urlencoded`).
  var contentType: String?
  /// The value of the Authorization header.
  var authorization: Secret?
  /// Further headers: a name, and a value of visible ASCII.
  var headers: [(name: String, value: String)] = []
  /// Counted on the boot clock, from the moment of sending.
  var timeout: Duration
  /// Whether a stop request may cut it short. Never for a request that spends a token.
  var isInterruptible: Bool

  static func get(
    _ url: String, authorization: Secret? = nil, timeout: Duration
  ) -> HTTPRequest {
    HTTPRequest(method: .get, url: url, authorization: authorization, timeout: timeout, isInterruptible: true)
  }

  static func post(
    _ url: String, body: Secret, authorization: Secret? = nil, timeout: Duration, isInterruptible: Bool
  ) -> HTTPRequest {
    HTTPRequest(
      method: .post, url: url, body: body, authorization: authorization, timeout: timeout,
      isInterruptible: isInterruptible)
  }
}
