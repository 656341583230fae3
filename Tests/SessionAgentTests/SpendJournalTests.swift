import AuthModel
import Scheduling
import Testing

@testable import SessionAgent

private let token = TokenHash(of: Secret("refresh-7"))
private let other = TokenHash(of: Secret("refresh-6"))

private func spend(_ purpose: Spend.Purpose, at seconds: Int64, generation: UInt64 = 7) -> SpendRecord {
  .spend(Spend(purpose: purpose, generation: generation, token: token, sent: .of(seconds)))
}

private let records: [SpendRecord] = [
  spend(.first, at: 1), spend(.resend, at: 2), spend(.final, at: 3), .unspent(generation: 7),
  .settled(generation: .max), .refused(token, at: .of(-5)), .parked(token, .refused), .parked(other, .lost),
  .parked(token, .otherIdentity),
]

@Suite struct SpendJournalTests {
  @Test(arguments: records) func `a record survives being written and read`(record: SpendRecord) {
    #expect(record.line.hasSuffix("\n"))
    #expect(SpendRecord(line: record.line.dropLast()) == record)
  }

  @Test(arguments: records) func `a record with any byte changed is not a record`(record: SpendRecord) {
    let line = Array(record.line.dropLast().utf8)
    for index in line.indices {
      var changed = line
      changed[index] ^= 1
      #expect(SpendRecord(line: Substring(decoding: changed, as: UTF8.self)) == nil)
      #expect(SpendRecord(line: Substring(decoding: line[..<index], as: UTF8.self)) == nil)
    }
  }

  /// The process may die after any byte: what is on disk then must never claim less than was sent.
  @Test func `every prefix of a journal is understood`() {
    let story: [(SpendRecord, open: Int)] = [
      (spend(.first, at: 1), 1), (.unspent(generation: 7), 0), (spend(.first, at: 2), 1),
      (spend(.resend, at: 3), 2),
      (.unspent(generation: 7), 1), (spend(.final, at: 9), 2), (.settled(generation: 8), 0),
    ]
    var journal: [UInt8] = []
    var open = 0
    for (record, openAfter) in story {
      for byte in Array(record.line.utf8).dropLast() {
        journal.append(byte)
        let history = SpendHistory(journal: journal, generation: 7, token: token)
        #expect(history.open.count == open)
        #expect(!history.isDamaged)
      }
      journal.append(UInt8(ascii: "\n"))
      open = openAfter
      let history = SpendHistory(journal: journal, generation: 7, token: token)
      #expect(history.open.count == open)
      #expect(history.isAmbiguous == (open > 0))
    }
  }

  @Test func `a store that has moved on settles the spend`() {
    let journal = Array(spend(.first, at: 1).line.utf8)
    #expect(SpendHistory(journal: journal, generation: 7, token: token).isAmbiguous)
    #expect(!SpendHistory(journal: journal, generation: 8, token: token).isAmbiguous)
    #expect(!SpendHistory(journal: journal, generation: 7, token: other).isAmbiguous)
    #expect(!SpendHistory(journal: journal, generation: 8, token: other).isAmbiguous)
  }

  @Test func `a damaged line counts as a spend of unknown fate until something settles it`() {
    var journal = Array("1 spend first 7 rubbish\n".utf8)
    #expect(SpendHistory(journal: journal, generation: 7, token: token).isAmbiguous)
    journal += Array(SpendRecord.settled(generation: 7).line.utf8)
    #expect(!SpendHistory(journal: journal, generation: 7, token: token).isAmbiguous)
  }

  @Test func `a last line that ends in a carriage return is damaged, not one that was never written`() {
    let journal = Array(spend(.first, at: 1).line.utf8.dropLast(2)) + Array("\r\n".utf8)
    #expect(SpendHistory(journal: journal, generation: 7, token: token).isAmbiguous)
  }

  @Test func `refusals and parking belong to one token`() {
    let journal = [SpendRecord.refused(other, at: .of(1)), .parked(other, .refused)].map(\.line).joined().utf8
    let history = SpendHistory(journal: journal, generation: 7, token: token)
    #expect(history.refusals.isEmpty)
    #expect(history.parked == nil)
  }

  @Test func `a torn tail is cut off before the next record`() throws {
    let folder = try TemporaryFolder()
    let whole = SpendRecord.settled(generation: 6).line
    try folder.write("p.journal", whole + "1 spend fir", mode: 0o600)
    let path = folder.path + "/p.journal"
    let journal = try SpendJournal(path: path, generation: 7, token: token)
    #expect(!journal.history.isAmbiguous)
    try journal.append(spend(.first, at: 1))
    let text = String(decoding: try #require(try folder.read("p.journal")), as: UTF8.self)
    #expect(text == whole + spend(.first, at: 1).line)
    #expect(try SpendJournal(path: path, generation: 7, token: token).history.open.count == 1)
  }

  @Test func `a long journal is cut down to what still matters`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/p.journal"
    var journal = try SpendJournal(path: path, generation: 7, token: token)
    for _ in 0..<60 {
      try journal.append(spend(.first, at: 1))
      try journal.append(.settled(generation: 7))
    }
    try journal.append(.refused(token, at: .of(3)))
    try journal.append(spend(.first, at: 4))
    try journal.append(spend(.resend, at: 5))
    let history = journal.history
    #expect(try #require(try folder.read("p.journal")).count > SpendJournal.compactionSize)
    journal = try SpendJournal(path: path, generation: 7, token: token)
    #expect(journal.history == history)
    #expect(try #require(try folder.read("p.journal")).count < 1024)
    #expect(try SpendJournal(path: path, generation: 7, token: token).history == history)
    try journal.append(.unspent(generation: 7))
    #expect(try SpendJournal(path: path, generation: 7, token: token).history.open.count == 1)
  }
}
