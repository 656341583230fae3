import AuthModel
import Scheduling

@testable import Configuration
@testable import SessionAgent

/// What providers other than OAuth servers say, and what provider files say about answers.
extension Harness {
  static let providers = [commandOutput, commandComplaint, privyAnswer, verdictOverride, clientKey]

  private static let now = WallTime(seconds: 1_800_000_000)

  private static let commandOutput = Harness("command-output") { bytes in
    let output = bytes.withUnsafeBytes { Secret($0) }
    let answer = CommandAnswer(output, now: now).answer
    try expect(answer?.accessToken.isVisibleASCII ?? true, "a token can stand in a header")
    try expect(answer?.refreshToken == nil, "a refresh token is the helper's own")
    if let user = answer?.user { try expectPlain(user) }
    for ending in [CommandProcess.Ending.exited(0), .exited(77), .killed(9), .late, .loud] {
      let run = CommandProcess.Run(ending: ending, output: output)
      let verdict = VerdictTable.command.verdict(on: CredentialCommand.exchange(run, answer))
      let isSuccess = verdict.isSpent == .yes
      try expect(
        !isSuccess || answer != nil && ending == .exited(0), "only a helper that ends well gives a token")
      try expect(verdict.outcome != .ambiguous, "a helper spends nothing of ours")
    }
  }

  /// A token among its words, which must not come out again.
  private static let commandComplaint = Harness("command-complaint") { bytes in
    let token = "eyJhbGciOiJub25lIn0.e30.c2ln"
    let complaint = bytes.withUnsafeBytes { Secret($0) }
    complaint.append(" \(token)\n")
    for secrets in [[], [Secret(token)]] {
      let lines = Redaction.lines(complaint, hiding: secrets)
      try expect(lines.count <= Redaction.lineLimit, "not more than a person reads")
      try expect(!lines.contains { $0.contains(token) }, "no line carries a token")
      try expect(
        lines.allSatisfy { line in line.unicodeScalars.allSatisfy { $0.value > 0x1f } }, "fit for a log")
    }
  }

  /// One envelope over a session that is good, and over one that has expired.
  private static let privyAnswer = Harness("privy-answer") { bytes in
    let body = bytes.withUnsafeBytes { Secret($0) }
    let boot = BootID("boot-a")
    let clocks = Now(boot: Instant(microseconds: 1_000_000_000), wall: now)
    for lifetime in [Duration.seconds(60), .seconds(-60)] {
      let record = SessionRecord(
        generation: 7, accessToken: Secret("ours"), refreshToken: Secret("refresh"),
        obtained: Moment(bootID: boot, now: clocks), lifetime: lifetime, user: User(id: "did:privy:a"))
      let session = PrivySession(
        app: ProviderDefinition.PrivyApp(id: "app"), clientID: "client", machine: .unknown, record: record)
      for status in [200, 400] {
        let response = HTTPResponse(status: status, contentType: nil, date: nil, retryAfter: nil, body: body)
        let (kind, answer) = session.read(response, at: clocks, in: boot)
        try expect(
          kind.hasToken, equals: answer != nil, "a token exactly when the answer holds or leaves one")
        try expect(status == 200 || answer == nil, "only a success holds a token")
        guard let answer else { continue }
        try expect(answer.accessToken.isVisibleASCII, "a token can stand in a header")
        try expect(
          !(answer.refreshToken?.equals(Secret(PrivySession.cookieMode)) ?? false), "a word is no token")
        let isRetained = answer.accessToken.equals(record.accessToken)
        try expect(
          !isRetained || lifetime > .zero || kind == .token && answer.lifetime == nil,
          "no renewal leaves us with an expired token")
        if let user = answer.user { try expectPlain(user) }
      }
    }
  }

  private static func expectPlain(_ user: User) throws {
    let texts = [user.id, user.name ?? ""] + user.linkedAccounts.flatMap { [$0.kind, $0.identifier] }
    try expect(
      texts.allSatisfy { text in text.unicodeScalars.allSatisfy { $0.value > 0x1f } }, "fit for a terminal")
    try expect(
      LinkedAccount.accounts(in: LinkedAccount.text(user.linkedAccounts)), equals: user.linkedAccounts,
      "linked accounts come back as they went")
  }

  private static let verdictOverride = Harness("verdict-override") { bytes in
    let text = String(input: bytes)
    guard let (statuses, error) = VerdictOverride.answer(text) else { return }
    try expect(200 <= statuses.lowerBound && statuses.upperBound <= 599, "statuses that there are")
    let table = VerdictTable.standard.overridden(by: [
      VerdictOverride(statuses: statuses, error: error, outcome: .definite)
    ])
    for status in [statuses.lowerBound, statuses.upperBound] {
      for body in [Exchange.Body.token, .expiredToken, .unusableTokenType, .notJSON] {
        let verdict = table.verdict(on: .answered(status: status, body: body))
        try expect(verdict.outcome != .definite, "neither a token nor a page ends a session")
      }
    }
    let body = error.map { Exchange.Body.error($0) } ?? .empty
    let verdict = table.verdict(on: .answered(status: statuses.lowerBound, body: body))
    try expect(verdict.outcome, equals: .definite, "an override has the last word")
  }

  private static let clientKey = Harness("client-key") { bytes in
    guard let key = ClientKey(jwk: bytes.withUnsafeBytes { Secret($0) }) else { return }
    let token = key.sign(Secret("{}"))
    try expect(token?.isVisibleASCII ?? false, "a key that was taken signs")
  }
}
