import AuthModel
import Glibc
import Scheduling
import Testing

@testable import SessionAgent

/// Servers that answer with a refresh token that was spent before.
@Suite struct SpentTokenTests {
  private func refreshToken(_ world: FlowWorld) throws -> String {
    try #require(try world.record().refreshToken).text
  }

  private func answerWith(_ token: String) -> String {
    #"{"mode":"set","key":"refresh_token","value":"\#(token)"}"#
  }

  @Test func `an earlier generation's is stored and told, and its refusal names who is to blame`() throws {
    let world = try FlowWorld()
    try world.begin()
    let first = try refreshToken(world)
    #expect(try world.agent().refresh().status == .success)
    try world.plan(answerWith(first))
    let report = try world.agent().refresh()
    #expect(report.status == .success)
    #expect(report.message.contains("handed out a refresh token that was spent before"), "\(report.message)")
    #expect(try refreshToken(world) == first, "RFC 6749 section 6: the server has the last word")
    let attempt = try #require(world.snapshot?.lastAttempt)
    #expect(attempt.outcome == .spentToken && attempt.failures == 0 && attempt.retryAfter == nil)
    #expect(attempt.detail.contains("will probably be refused"))
    #expect(try world.state()?.name == "authenticated")
    let history = String(decoding: try #require(try world.folder.read("run/attempts/work")), as: UTF8.self)
    #expect(history.contains(" spentToken 0 verified; but the server"))

    // What is known of it outlives this boot's history.
    #expect(unlink("\(world.places.attemptsFolder)/work") == 0)
    _ = try world.agent().publish()
    let doctor = try ProviderExamination(world.provider, places: world.places, hold: world.hold)
    let finding = try #require(doctor.findings().first { $0.subject == "session" })
    #expect(finding.level == .warning && finding.detail.contains("will probably be refused"))
    #expect(try world.agent().refresh().status == .loginNeeded)
    #expect(try world.state() == .unauthenticated(.rejected), "no answer of ours was lost")
    #expect(world.snapshot?.lastAttempt?.outcome == .definite)
    #expect(world.snapshot?.lastAttempt?.detail.contains("the server is to blame") == true)
    // A login begins anew.
    try world.login()
    #expect(try world.agent().refresh().message.contains("spent before") == false)
  }

  @Test func `a server that rotates and gives the token of a lost answer back is warned of`() throws {
    let world = try FlowWorld(["--reuse-window", "30"], reuseWindow: .seconds(30))
    try world.begin()
    #expect(try world.agent().refresh().status == .success)
    let token = try refreshToken(world)
    try world.plan(#"[{"mode":"drop_after"},\#(answerWith(token))]"#)
    #expect(try world.agent().refresh().status == .success)
    #expect(world.snapshot?.lastAttempt?.outcome == .spentToken)
    #expect(try world.record().isRefreshTokenSpent)
  }

  @Test func `a server that does not rotate gives the same token each time, and is not`() throws {
    let world = try FlowWorld(["--rotate", "false"], reuseWindow: .seconds(30))
    try world.begin()
    for fault in ["drop_before", "pass", "drop_after", "partial"] {
      try world.plan(#"{"mode":"\#(fault)"}"#)
      #expect(try world.agent().refresh().status == .success)
      #expect(world.snapshot?.lastAttempt?.outcome == .success, "\(fault)")
    }
    try world.server.post("/test/revoke")
    _ = try world.agent().refresh()
    #expect(world.snapshot?.lastAttempt?.detail.contains("blame") == false)
  }

  /// Each story: what was sent, one letter a token, as often as it stands there; a dash: it used nothing up. The last
  /// word is the generation that the store has.
  static let stories: [(story: String, returned: Character, isSpent: Bool)] = [
    ("A", "B", false), ("A", "A", false), ("A B", "A", true), ("A B", "B", false), ("A B", "C", false),
    ("A B C", "A", true),
    // Of a token that was sent twice an answer was lost.
    ("AA", "A", false), ("A BB", "B", true), ("A BB", "C", false), ("A BBB", "B", true), ("A BB", "A", true),
    // It kept a token once: that is what it may have done again.
    ("A A", "A", false), ("A AA", "A", false), ("A A BB", "B", false), ("A A B", "A", true),
    ("A B A", "A", false), ("A B A", "B", true),
    // Nothing was used up.
    ("A- B", "A", false), ("A BB-", "B", false), ("A BBB-", "B", true), ("AA- B", "A", true),
  ]

  @Test(arguments: stories)
  func `whether a token that comes back was spent follows from what was sent`(
    story: String, returned: Character, isSpent: Bool
  ) {
    let hash = { (letter: Character) in TokenHash(of: Secret(String(letter))) }
    let words = story.split(separator: " ")
    var records: [SpendRecord] = []
    for (index, word) in words.enumerated() {
      let generation = UInt64(index + 1)
      for letter in word {
        records.append(
          letter == "-"
            ? .unspent(generation: generation)
            : .spend(Spend(purpose: .first, generation: generation, token: hash(letter), sent: .of(0))))
      }
      if generation < words.count { records.append(.settled(generation: generation + 1)) }
    }
    let store = (generation: UInt64(words.count), token: words.last?.first.map(hash))
    func history(_ records: [SpendRecord]) -> SpendHistory {
      SpendHistory(
        journal: records.map(\.line).joined().utf8, generation: store.generation, token: store.token)
    }
    let read = history(records)
    #expect(read.hasSpent(hash(returned)) == isSpent)
    if let token = store.token {
      #expect(history(read.records(token: token)) == read, "and outlives a compaction")
    }
  }

  @Test func `a journal that is cut down remembers the latest generations`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/p.journal"
    let hash = { (generation: UInt64) in TokenHash(of: Secret("refresh-\(generation)")) }
    for generation in UInt64(1)...100 {
      let journal = try SpendJournal(path: path, generation: generation, token: hash(generation))
      try journal.append(
        .spend(Spend(purpose: .first, generation: generation, token: hash(generation), sent: .of(0))))
      try journal.append(.settled(generation: generation + 1))
    }
    let size = try #require(try folder.read("p.journal")).count
    #expect(size <= SpendJournal.compactionSize + 512)
    let history = try SpendJournal.read(path, generation: 101, token: hash(101))
    #expect(!history.isAmbiguous)
    for generation in UInt64(101 - UInt64(SpendHistory.earlierLimit))...100 {
      #expect(history.hasSpent(hash(generation)))
    }
    #expect(!history.hasSpent(hash(101)))
  }
}
