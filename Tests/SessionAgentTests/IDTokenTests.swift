import AuthModel
import Scheduling
import Testing

@testable import SessionAgent

@Suite struct IDTokenTests {
  static let now = WallTime(seconds: 1_800_000_000)

  static func token(_ claims: String, header: String = #"{"alg":"ES256"}"#, signature: String = "c2ln")
    -> Secret
  {
    Secret([header, claims].map { Secret($0).base64URL }.joined(separator: ".") + "." + signature)
  }

  static func claims(
    iss: String = "https://i", sub: String = "alice", aud: String = #""c""#, exp: Int = 1_800_000_060,
    more: String = ""
  ) -> String {
    #"{"iss":"\#(iss)","sub":"\#(sub)","aud":\#(aud),"exp":\#(exp)\#(more)}"#
  }

  @Test func `a token says whose it is`() throws {
    let token = try IDToken(Self.token(Self.claims(more: #","name":"Alice Example""#)))
    #expect(token.user == User(id: "alice", name: "Alice Example"))
    try token.check(issuer: "https://i", clientID: "c", serverNow: Self.now)
  }

  static let rejected: [(String, IDToken.Rejection)] = [
    (claims(iss: "https://j"), .issuer("https://j")), (claims(iss: "https://i/"), .issuer("https://i/")),
    (claims(aud: #""d""#), .audience), (claims(aud: #"["c","d"]"#), .audience),
    (claims(more: #","azp":"d""#), .audience), (claims(aud: "[]"), .audience),
    (claims(exp: 1_799_999_700), .expired),
  ]

  @Test(arguments: rejected) func `a token of another kind is refused`(
    claims: String, rejection: IDToken.Rejection
  ) throws {
    let token = try IDToken(Self.token(claims))
    #expect(throws: rejection) { try token.check(issuer: "https://i", clientID: "c", serverNow: Self.now) }
  }

  @Test func `several audiences are fine when we are the authorized party`() throws {
    let token = try IDToken(Self.token(Self.claims(aud: #"["c","d"]"#, more: #","azp":"c""#)))
    try token.check(issuer: "https://i", clientID: "c", serverNow: Self.now)
  }

  static var unreadable: [Secret] {
    [
      Secret(""), Secret(".."), Secret("a.b"), Secret("a.b.c"), Secret("a.b.c.d"), token("[]"), token("{}"),
      token(claims(), header: "{}"), token(#"{"iss":"i","sub":"s","aud":"c","exp":"soon"}"#),
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
}
