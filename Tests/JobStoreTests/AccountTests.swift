import AuthModel
import JobEngine
import Scheduling
import Testing

@testable import JobStore

struct AccountTests {
  let folder = TemporaryFolder()

  private func fill(_ ledger: Ledger) throws {
    try ledger.stamp(
      .due(1, .succeeded).with { $0.attempt = 1 }, .due(2, .failed).with { $0.attempt = 2 },
      .due(3, .skipped).with { $0.reason = "unauthenticated" }, .due(4, .skipped),
      .due(5, .skipped).with { $0.reason = "unauthenticated" }, .deferred(6).with { $0.attempt = 1 },
      .deferred(7).with { $0.covers = 3 }, .due(1, .waiting, job: .backup))
  }

  @Test func `every due is in the account once`() throws {
    let ledger = try Ledger(path: folder.ledger)
    try fill(ledger)
    let accounts = try ledger.accounts()
    let sync = try #require(accounts[.sync])
    #expect(sync.stamped == 7 && sync.pruned == 0 && sync.onRecord == 7 && sync.covered == 3)
    #expect(sync.started == [.succeeded: 1, .failed: 1, .deferred: 1])
    #expect(sync.unstarted == [.skipped: 3, .deferred: 1])
    #expect(sync.skipped == ["unauthenticated": 2, "": 1])
    #expect(accounts[.backup]?.unstarted == [.waiting: 1])
    #expect(accounts.values.filter { !$0.isBalanced } == [])
    #expect(
      try ledger.counts() == [.succeeded: 1, .failed: 1, .skipped: 3, .deferred: 2, .waiting: 1])
  }

  @Test func `updates and repeated stamps count nothing twice`() throws {
    let ledger = try Ledger(path: folder.ledger)
    try fill(ledger)
    try fill(ledger)
    try ledger.update(.due(3, .succeeded).with { $0.attempt = 1 })
    try ledger.update(.due(8, .waiting))
    let sync = try #require(try ledger.accounts()[.sync])
    #expect(sync.stamped == 8 && sync.onRecord == 8 && sync.isBalanced)
  }

  @Test(arguments: ["DELETE FROM runs WHERE due_at = 3000000", "DELETE FROM attempts WHERE number = 2"])
  func `a due or an attempt that disappeared is noticed`(loss: String) throws {
    let ledger = try Ledger(path: folder.ledger)
    try fill(ledger)
    try ledger.database.run(loss)
    #expect(try ledger.accounts()[.sync]?.isBalanced == false)
    #expect(try ledger.accounts()[.backup]?.isBalanced == true)
  }

  @Test func `pruning removes what is final and old, in batches, and stays balanced`() throws {
    let ledger = try Ledger(path: folder.ledger)
    try fill(ledger)
    let endedLate = RunRecord.due(0, .succeeded).with {
      $0.attempt = 1
      $0.ended = .at(500)
    }
    try ledger.stamp(endedLate)
    let time = WallTime(seconds: 5)
    #expect(try ledger.prune(before: time, limit: 0) == 0)
    #expect(try ledger.prune(before: time, limit: -1) == 0)
    #expect(try ledger.prune(before: time, limit: 3) == 3)
    #expect(try ledger.prune(before: time, limit: 3) == 1)
    #expect(try ledger.prune(before: time, limit: 3) == 0)
    let left = try ledger.runs().map(\.dueAt.microseconds).map { $0 / 1_000_000 }
    #expect(left.sorted() == [0, 1, 5, 6, 7])
    let sync = try #require(try ledger.accounts()[.sync])
    #expect(sync.stamped == 8 && sync.pruned == 4 && sync.onRecord == 4 && sync.isBalanced)
    #expect(try ledger.attempts(of: RunRecord.due(2, .failed).id) == [])
    #expect(try ledger.checkIntegrity() == [])
  }
}
