import AuthModel
import JobEngine
import JobStore
import Scheduling
import Testing

struct AttemptTests {
  let folder = TemporaryFolder()

  @Test func `the history shows an interruption before the success that followed`() throws {
    let ledger = try Ledger(path: folder.ledger)
    let first = RunRecord.due(1, .starting).with {
      $0.attempt = 1
      $0.started = .at(2)
      $0.tokenGeneration = 11
    }
    let cut = first.with {
      $0.state = .retrying
      $0.attemptOutcome = .interrupted
      $0.ended = .at(3)
      $0.exit = .unknown
      $0.reason = "the machine was rebooted"
    }
    let second = cut.with {
      $0.state = .running
      $0.attempt = 2
      $0.attemptOutcome = nil
      $0.started = .at(4)
      $0.tokenGeneration = 12
      $0.process = ProcessIdentity(pid: 5, startTicks: 6, bootID: .first)
    }
    let done = second.with {
      $0.state = .succeeded
      $0.attemptOutcome = .succeeded
      $0.ended = .at(5)
      $0.exit = .exited(0)
      $0.reason = nil
    }
    try ledger.stamp(first)
    for record in [cut, second, done] { try ledger.update(record) }
    let attempts = try ledger.attempts(of: first.id)
    #expect(attempts == [AttemptRecord(latestOf: cut), AttemptRecord(latestOf: done)])
    #expect(attempts.map(\.outcome) == [.interrupted, .succeeded])
    #expect(attempts.map(\.reason) == ["the machine was rebooted", nil])
    #expect(attempts.map(\.tokenGeneration) == [11, 12])
  }

  @Test func `a new attempt is not given the end of the one before`() throws {
    let ledger = try Ledger(path: folder.ledger)
    let second = RunRecord.due(1, .running).with {
      $0.attempt = 2
      $0.ended = .at(9)
      $0.exit = .exited(1)
      $0.reason = "exit 1"
    }
    try ledger.stamp(second)
    let attempt = try #require(try ledger.attempts(of: second.id).first)
    #expect(attempt.ended == nil && attempt.exit == nil && attempt.reason == nil)
  }

  @Test func `an attempt that is over stays as it is whatever becomes of its run`() throws {
    let ledger = try Ledger(path: folder.ledger)
    let failed = RunRecord.full
    try ledger.stamp(failed)
    try ledger.update(
      failed.with {
        $0.state = .cancelled
        $0.reason = "cancelled by root"
        $0.attemptOutcome = .cancelled
        $0.ended = .at(999)
      })
    #expect(try ledger.attempts(of: failed.id) == [AttemptRecord(latestOf: failed)])
    #expect(try ledger.run(id: failed.id)?.reason == "cancelled by root")
  }

  @Test(arguments: AttemptOutcome.allCases) func `every outcome comes back`(outcome: AttemptOutcome) throws {
    let ledger = try Ledger(path: folder.ledger)
    let record = RunRecord.full.with { $0.attemptOutcome = outcome }
    try ledger.stamp(record)
    #expect(try ledger.attempts(of: record.id).map(\.outcome) == [outcome])
    #expect(try ledger.run(id: record.id)?.attemptOutcome == outcome)
  }

  @Test func `a run that was never started has no attempts`() throws {
    let ledger = try Ledger(path: folder.ledger)
    let record = RunRecord.deferred(1)
    try ledger.stamp(record)
    #expect(try ledger.attempts(of: record.id) == [])
  }
}
