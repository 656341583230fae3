import AuthModel
import Scheduling
import Testing

@testable import SessionAgent

/// One answer, and what it must mean.
struct Answer: Sendable, CustomTestStringConvertible {
  var status: Int
  var contentType: String? = "application/json"
  var body: String
  var verdict: RefreshVerdict

  var testDescription: String { "\(status) \(contentType ?? "-") \(body.prefix(60))" }

  init(_ status: Int, _ body: String, _ verdict: RefreshVerdict, contentType: String? = "application/json") {
    self.status = status
    self.body = body
    self.verdict = verdict
    self.contentType = contentType
  }

  var exchange: Exchange {
    let response = HTTPResponse(
      status: status, contentType: contentType, date: nil, retryAfter: nil, body: Secret(body))
    return Exchange(.success(response), answer: TokenAnswer(response))
  }
}

private let page = "<html><body>Hotel Wi-Fi: please log in</body></html>"

private let answers: [Answer] = [
  Answer(200, #"{"access_token":"a","token_type":"Bearer","expires_in":300}"#, .success),
  Answer(200, #"{"access_token":"a","token_type":"bearer","refresh_token":null}"#, .success),
  Answer(200, #"{"access_token":"a"}"#, .success, contentType: "text/html"),
  Answer(201, #"{"access_token":"a","expires_in":"300"}"#, .success),
  Answer(200, #"{"access_token":"a","expires_in":0}"#, .clockSuspect),
  Answer(200, #"{"access_token":"a","expires_in":"-5"}"#, .clockSuspect),
  Answer(200, #"{"access_token":"a","token_type":"mac"}"#, .unusableToken),
  Answer(400, #"{"error":"invalid_grant"}"#, .definite),
  Answer(401, #"{"error":"invalid_grant","error_description":"x"}"#, .definite),
  Answer(200, #"{"error":"bad_refresh_token"}"#, .definite),
  Answer(400, #"{"error":"interaction_required"}"#, .definite),
  Answer(401, #"{"error":"invalid_client"}"#, .configuration),
  Answer(400, #"{"error":"unauthorized_client"}"#, .configuration),
  Answer(400, #"{"error":"invalid_scope"}"#, .configuration),
  Answer(400, #"{"error":"invalid_request"}"#, .configuration),
  Answer(400, #"{"error":"unsupported_grant_type"}"#, .configuration),
  Answer(400, #"{"error":"temporarily_unavailable"}"#, .transient),
  Answer(400, #"{"error":"slow_down"}"#, .transient),
  Answer(408, "", .transient),
  Answer(429, #"{"error":"invalid_grant"}"#, .transient),
  Answer(503, page, .transient, contentType: "text/html"),
  Answer(511, page, .transient, contentType: "text/html"),
  Answer(500, #"{"error":"server_error"}"#, .ambiguous),
  Answer(500, #"{"error":"invalid_grant"}"#, .ambiguous),
  Answer(502, page, .ambiguous, contentType: "text/html"),
  Answer(504, "", .ambiguous),
  Answer(200, page, .transient, contentType: "text/html"),
  Answer(403, page, .transient, contentType: "text/html"),
  Answer(407, page, .transient, contentType: nil),
  Answer(302, "", .transient, contentType: nil),
  Answer(200, #"["access_token"]"#, .ambiguous),
  Answer(200, #"{"access_token":"a","expi"#, .ambiguous),
  Answer(200, #"{"access_token":"a","expi"#, .ambiguous, contentType: "text/plain"),
  Answer(200, "", .ambiguous),
  Answer(200, "{}", .ambiguous),
  Answer(200, #"{"access_token":""}"#, .ambiguous),
  Answer(200, #"{"access_token":null,"refresh_token":"r"}"#, .ambiguous),
  Answer(200, #"{"access_token":7}"#, .ambiguous),
  Answer(200, #"{"access_token":"a\nAuthorization: b"}"#, .ambiguous),
  Answer(200, #"{"error":"whatever"}"#, .rejectedUnknown),
  Answer(400, "", .rejectedUnknown),
  Answer(401, "", .rejectedUnknown),
  Answer(400, #"{"message":"no"}"#, .rejectedUnknown),
  Answer(403, #"{"error":"forbidden"}"#, .rejectedUnknown),
  Answer(401, #"{"error":"invalid_token"}"#, .rejectedUnknown),
  Answer(404, #"{"detail":"not found"}"#, .rejectedUnknown),
  Answer(101, "", .ambiguous),
  Answer(999, "{}", .ambiguous),
]

@Suite struct VerdictTableTests {
  @Test(arguments: answers) func `an answer means what the table says`(answer: Answer) {
    #expect(VerdictTable.standard.verdict(on: answer.exchange) == answer.verdict)
  }

  @Test func `a request that never left spends nothing`() {
    let failure = TransportFailure(reason: "refused", mayHaveBeenSent: false)
    #expect(VerdictTable.standard.verdict(on: Exchange(.failure(failure), answer: nil)) == .transient)
  }

  @Test func `a request that left and got no answer is ambiguous`() {
    let failure = TransportFailure(reason: "reset", mayHaveBeenSent: true)
    #expect(VerdictTable.standard.verdict(on: Exchange(.failure(failure), answer: nil)) == .ambiguous)
  }

  @Test func `every row decides at least one of the examples`() {
    let privy: [Exchange.Body] = [.cleared, .notRenewed, .cookieMode]
    let exchanges =
      answers.map(\.exchange) + [.notSent, .lost] + privy.map { .answered(status: 200, body: $0) }
    for (index, row) in VerdictTable.standard.rows.enumerated() {
      let isDecisive = exchanges.contains { exchange in
        VerdictTable.standard.rows.firstIndex { $0.exchange.matches(exchange) } == index
      }
      #expect(isDecisive, "no example reaches the row \"\(row.meaning)\"")
    }
  }

  /// Statuses and bodies nobody thought of.
  @Test func `only an error that is known to mean it ends a session`() {
    let bodies: [Exchange.Body] = [
      .empty, .notJSON, .brokenJSON, .neither, .token, .expiredToken, .error(""), .error("invalid_Grant"),
      .error("expired"), .error("invalid_token"),
    ]
    for status in 0...999 {
      for body in bodies {
        let verdict = VerdictTable.standard.verdict(on: .answered(status: status, body: body))
        #expect(verdict.outcome != .definite, "\(status) \(body)")
      }
    }
  }
}
