import AuthModel
import Scheduling
import Testing

@testable import SessionAgent

@Suite struct DeviceFlowTests {
  static let polls: [(Int, String, String)] = [
    (200, #"{"access_token":"a"}"#, "approved"), (400, #"{"error":"authorization_pending"}"#, "pending"),
    (400, #"{"error":"slow_down"}"#, "slowDown"), (428, #"{"error":"slow_down"}"#, "slowDown"),
    (400, #"{"error":"access_denied"}"#, "refused"), (400, #"{"error":"expired_token"}"#, "refused"),
    (400, #"{"error":"invalid_grant"}"#, "refused"), (401, #"{"error":"invalid_client"}"#, "refused"),
    (429, #"{"error":"rate_limited"}"#, "unreachable"), (503, "", "unreachable"),
    (200, "<html>", "unreachable"),
    (500, #"{"error":"server_error"}"#, "unreachable"), (200, "{}", "unreachable"), (400, "", "unreachable"),
  ]

  @Test(arguments: polls) func `a poll's answer`(status: Int, body: String, meaning: String) {
    let response = HTTPResponse(
      status: status, contentType: "application/json", date: nil, retryAfter: nil, body: Secret(body))
    #expect("\(PollAnswer(.success(response)))".hasPrefix(meaning))
  }

  static let authorizations: [(String, Duration?, Duration?)] = [
    (#""expires_in":600,"interval":7"#, .seconds(7), .seconds(600)),
    (#""expires_in":600"#, .seconds(5), .seconds(600)),
    (#""interval":0"#, .seconds(1), .seconds(900)), (#""interval":1e9"#, .seconds(60), .seconds(900)),
    (#""expires_in":-1"#, .seconds(5), .zero),
  ]

  @Test(arguments: authorizations)
  func `interval and lifetime are kept within reason`(
    members: String, interval: Duration?, lifetime: Duration?
  ) throws {
    let text = #"{"device_code":"d","user_code":"u","verification_uri":"https://v",\#(members)}"#
    let object = try #require(JSONObject.parse(Secret(text)))
    let authorization = DeviceAuthorization(object, started: Instant(microseconds: 0))
    #expect(authorization?.interval == interval)
    #expect(authorization?.prompt.expiresIn == lifetime)
  }

  @Test(arguments: ["device_code", "user_code", "verification_uri"])
  func `an authorization without its members is none`(missing: String) throws {
    let members = ["device_code", "user_code", "verification_uri"].filter { $0 != missing }.map {
      "\"\($0)\":\"x\""
    }
    let object = try #require(JSONObject.parse(Secret("{\(members.joined(separator: ","))}")))
    #expect(DeviceAuthorization(object, started: Instant(microseconds: 0)) == nil)
  }

  @Test func `a hostile server can't write to the terminal`() throws {
    let text =
      #"{"device_code":"d","user_code":"\u001b[2JCODE\u0007","verification_uri":"https://v\u009b31m"}"#
    let object = try #require(JSONObject.parse(Secret(text)))
    let prompt = try #require(DeviceAuthorization(object, started: Instant(microseconds: 0))).prompt
    #expect(prompt.userCode == "[2JCODE")
    #expect(prompt.verificationURL == "https://v31m")
  }

  @Test func `polls survive a bad network and a server that is too busy`() throws {
    let world = try FlowWorld(["--device-interval", "1"])
    try world.plan(
      #"[{"mode":"drop_before"},{"mode":"status","status":400,"body":"{\"error\":\"authorization_pending\"}"}]"#
    )
    #expect(try world.login().status == .success)
    #expect(try world.state()?.name == "authenticated")
  }
}
