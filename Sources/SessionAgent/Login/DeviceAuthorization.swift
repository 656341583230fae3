import Scheduling

/// A device authorization response (RFC 8628 section 3.2).
struct DeviceAuthorization {
  var deviceCode: Secret
  var prompt: DevicePrompt
  var interval: Duration
  var deadline: Instant

  /// A server that asks for more wants to be asked once a minute.
  private static let longestInterval = Duration.seconds(60)

  /// Nil if a required member is missing.
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
    interval = min(max(.seconds(1), object.seconds("interval") ?? .seconds(5)), Self.longestInterval)
    deadline = started + lifetime
  }
}
