import AuthModel
import Scheduling
import Testing

@testable import SessionAgent

@Suite struct IDTokenTests {
  static let now = WallTime(seconds: 1_800_000_000)

  static func token(
    _ claims: String, header: String = #"{"alg":"ES256","kid":"k"}"#, signature: String = "c2ln"
  ) -> Secret {
    Secret([header, claims].map { Secret($0).base64URL.text }.joined(separator: ".") + "." + signature)
  }

  static func claims(
    iss: String = "https://i", sub: String = "alice", aud: String = #""c""#, exp: Int = 1_800_000_060,
    iat: Int = 1_800_000_000, more: String = ""
  ) -> String {
    #"{"iss":"\#(iss)","sub":"\#(sub)","aud":\#(aud),"exp":\#(exp),"iat":\#(iat)\#(more)}"#
  }

  static func expected(nonce: String? = nil, subject: String? = nil) -> IDToken.Expectation {
    IDToken.Expectation(issuer: "https://i", clientID: "c", nonce: nonce.map { Secret($0) }, subject: subject)
  }

  static func check(
    _ token: IDToken, _ expected: IDToken.Expectation = expected()
  ) throws(IDToken.Rejection) {
    try token.checkIdentity(expected)
    try token.checkTime(serverNow: now)
  }

  @Test func `a token says whose it is`() throws {
    let more = #","name":"Alice Example","email":"a@b","preferred_username":"al","auth_time":1799999990"#
    let token = try IDToken(Self.token(Self.claims(more: more)))
    #expect(token.user == User(id: "alice", name: "Alice Example", email: "a@b", username: "al"))
    #expect(token.authTime == WallTime(seconds: 1_799_999_990))
    #expect(token.keyID == "k" && token.algorithm == .es256)
    try Self.check(token)
  }

  static let rejected: [(String, IDToken.Rejection)] = [
    (claims(iss: "https://j"), .issuer("https://j")), (claims(iss: "https://i/"), .issuer("https://i/")),
    (claims(aud: #""d""#), .audience), (claims(aud: #"["c","d"]"#), .audience),
    (claims(more: #","azp":"d""#), .audience), (claims(aud: "[]"), .audience),
    (claims(exp: 1_799_999_700), .expired), (claims(exp: -1), .expired),
    (claims(iat: 1_800_000_300), .future), (claims(exp: 1_900_000_000, iat: 1_890_000_000), .future),
  ]

  @Test(arguments: rejected) func `a token of another kind is refused`(
    claims: String, rejection: IDToken.Rejection
  ) throws {
    let token = try IDToken(Self.token(claims))
    #expect(throws: rejection) { try Self.check(token) }
  }

  @Test func `clocks may be five minutes apart`() throws {
    try Self.check(try IDToken(Self.token(Self.claims(exp: 1_799_999_701, iat: 1_799_999_000))))
    try Self.check(try IDToken(Self.token(Self.claims(exp: 1_900_000_000, iat: 1_800_000_299))))
  }

  @Test func `several audiences are fine when we are the authorized party`() throws {
    try Self.check(try IDToken(Self.token(Self.claims(aud: #"["c","d"]"#, more: #","azp":"c""#))))
  }

  @Test func `a login's token repeats its nonce`() throws {
    let token = try IDToken(Self.token(Self.claims(more: #","nonce":"n-1""#)))
    try Self.check(token, Self.expected(nonce: "n-1"))
    #expect(throws: IDToken.Rejection.nonce) { try Self.check(token, Self.expected(nonce: "n-2")) }
    let without = try IDToken(Self.token(Self.claims()))
    #expect(throws: IDToken.Rejection.nonce) { try Self.check(without, Self.expected(nonce: "n-1")) }
  }

  @Test func `a refresh's token names the same person`() throws {
    let token = try IDToken(Self.token(Self.claims()))
    try Self.check(token, Self.expected(subject: "alice"))
    #expect(throws: IDToken.Rejection.subject) { try Self.check(token, Self.expected(subject: "bob")) }
  }

  static var unreadable: [Secret] {
    [
      Secret(""), Secret(".."), Secret("a.b"), Secret("a.b.c"), Secret("a.b.c.d"), token("[]"), token("{}"),
      token(claims(), header: "{}"), token(#"{"iss":"i","sub":"s","aud":"c","exp":"soon","iat":1}"#),
      token(#"{"iss":"i","sub":"s","aud":"c","exp":1}"#),
    ]
  }

  @Test func `what is no token is malformed`() {
    for text in Self.unreadable {
      #expect(throws: IDToken.Rejection.malformed) { try IDToken(text) }
    }
  }

  @Test(arguments: ["none", "None", "NONE"]) func `an unsigned token is refused`(algorithm: String) {
    let header = #"{"alg":"\#(algorithm)"}"#
    #expect(throws: IDToken.Rejection.unsigned) { try IDToken(Self.token(Self.claims(), header: header)) }
    #expect(throws: IDToken.Rejection.unsigned) { try IDToken(Self.token(Self.claims(), signature: "")) }
  }

  @Test(arguments: ["HS256", "HS512", "EdDSA", "es256", "RS1", " "])
  func `only asymmetric signatures are known`(algorithm: String) {
    let header = #"{"alg":"\#(algorithm)"}"#
    #expect(throws: IDToken.Rejection.algorithm(algorithm)) {
      try IDToken(Self.token(Self.claims(), header: header))
    }
  }

  @Test func `an extension that has to be understood is not`() {
    let header = #"{"alg":"ES256","crit":["b64"],"b64":false}"#
    #expect(throws: IDToken.Rejection.algorithm("ES256")) {
      try IDToken(Self.token(Self.claims(), header: header))
    }
  }
}
