import AuthModel
import Glibc
import JobEngine
import Scheduling
import Testing

@testable import JobStore

struct CommitTests {
  let folder = TemporaryFolder()

  @Test func `a record comes back as it was written, by stamp and by update`() throws {
    let ledger = try Ledger(path: folder.ledger)
    try ledger.stamp(.full)
    #expect(try ledger.run(id: RunRecord.full.id) == .full)
    let plain = RunRecord.due(100, .waiting)
    try ledger.update(plain)
    #expect(try ledger.run(id: plain.id) == plain)
    try ledger.update(.full)
    #expect(try ledger.run(id: plain.id) == .full)
  }

  @Test(arguments: [
    Due.calendar(WallTime(microseconds: .min)), .calendar(WallTime(microseconds: .max)),
    .interval(Instant(microseconds: 5), .first), .request(Instant(microseconds: 0), .first),
  ])
  func `every kind of due comes back`(due: Due) throws {
    let ledger = try Ledger(path: folder.ledger)
    let record = RunRecord(
      job: .sync, due: due, dueAt: WallTime(seconds: 1), state: .queued, created: .at(1))
    try ledger.stamp(record)
    #expect(try ledger.run(id: record.id) == record)
  }

  @Test(arguments: [JobEngine.ExitStatus.exited(0), .exited(-1), .exited(255), .signaled(64), .unknown])
  func `every exit status comes back`(exit: JobEngine.ExitStatus) throws {
    let ledger = try Ledger(path: folder.ledger)
    let record = RunRecord.due(1, .failed).with { $0.exit = exit }
    try ledger.stamp(record)
    #expect(try ledger.run(id: record.id)?.exit == exit)
  }

  @Test(arguments: RunState.allCases) func `every state comes back`(state: RunState) throws {
    let ledger = try Ledger(path: folder.ledger)
    let record = RunRecord.deferred(1).with { $0.state = state }
    try ledger.stamp(record)
    #expect(try ledger.run(id: record.id)?.state == state)
  }

  @Test func `only the first stamp of a due is new, and it stays`() throws {
    let ledger = try Ledger(path: folder.ledger)
    let record = RunRecord.due(1, .starting)
    let later = record.with { $0.state = .failed }
    let answers = try ledger.commit([.stamp(record), .stamp(later)])
    #expect(answers == [.stamped(record.id, isNew: true), .stamped(record.id, isNew: false)])
    #expect(try ledger.commit([.stamp(later)]) == [.stamped(record.id, isNew: false)])
    #expect(try ledger.run(id: record.id) == record)
  }

  @Test func `the same due of two jobs is two dues`() throws {
    let ledger = try Ledger(path: folder.ledger)
    let answers = try ledger.commit([.stamp(.due(1, .waiting)), .stamp(.due(1, .waiting, job: .backup))])
    #expect(answers.allSatisfy { if case .stamped(_, isNew: true) = $0 { true } else { false } })
  }

  @Test func `answers come in the order of the writes, and see the writes before them`() throws {
    let ledger = try Ledger(path: folder.ledger)
    let record = RunRecord.deferred(1)
    let answers = try ledger.commit([
      .take(.work, after: nil, limit: 5, pass: 7), .stamp(record), .update(record),
      .take(.work, after: nil, limit: 5, pass: 8),
    ])
    #expect(
      answers == [
        .taken(TakenEntries(provider: .work, pass: 7, entries: [], isExhausted: true)),
        .stamped(record.id, isNew: true),
        .taken(TakenEntries(provider: .work, pass: 8, entries: [record], isExhausted: true)),
      ])
  }

  @Test func `no writes, no answers`() throws {
    #expect(try Ledger(path: folder.ledger).commit([]) == [])
  }

  @Test func `a write that is refused undoes the whole list`() throws {
    let ledger = try Ledger(path: folder.ledger)
    let illegal = RunRecord.due(2, .deferred)
    let error = #expect(throws: StoreError.self) {
      try ledger.commit([
        .stamp(.due(1, .waiting)), .saveProgress(.sync, JobProgress(calendarThrough: WallTime(seconds: 1))),
        .stamp(illegal),
      ])
    }
    #expect(error?.isTransient == false)
    #expect(error?.description.contains("none of them was made") == true)
    #expect(try ledger.runs() == [])
    #expect(try ledger.recover().progress == [:])
    try ledger.stamp(.due(1, .waiting))
    #expect(try ledger.runs().count == 1)
  }

  @Test func `what one connection commits another sees, and a reopened one too`() throws {
    let (one, other) = (try Ledger(path: folder.ledger), try Ledger(path: folder.ledger))
    try one.stamp(.full)
    #expect(try other.run(id: RunRecord.full.id) == .full)
    #expect(try Ledger(path: folder.ledger).run(id: RunRecord.full.id) == .full)
  }

  @Test func `another writer that doesn't finish is reported, and the list can be committed later`() throws {
    let (one, other) = (try Ledger(path: folder.ledger), try Ledger(path: folder.ledger))
    other.database.setPatience(.zero)
    try one.database.run("BEGIN IMMEDIATE")
    #expect(throws: StoreError.failed(.commit(1), path: folder.ledger, .busy)) {
      try other.stamp(.full)
    }
    try one.database.run("COMMIT")
    try other.stamp(.full)
    #expect(try one.run(id: RunRecord.full.id) == .full)
  }

  @Test func `a ledger that can't be written says so, can be read, and goes on when it can`() throws {
    let ledger = try Ledger(path: folder.ledger)
    try ledger.stamp(.full)
    try ledger.database.run("PRAGMA query_only = ON")
    let error = #expect(throws: StoreError.self) { try ledger.stamp(.due(1, .waiting)) }
    #expect(error == .failed(.commit(1), path: folder.ledger, .readOnly) && error?.isTransient == true)
    #expect(try ledger.runs() == [.full])
    try ledger.database.run("PRAGMA query_only = OFF")
    try ledger.stamp(.due(1, .waiting))
    #expect(try ledger.runs().count == 2)
  }

  @Test func `a ledger that was deleted under us is not written to`() throws {
    let ledger = try Ledger(path: folder.ledger)
    #expect(unlink(folder.ledger) == 0)
    let error = #expect(throws: StoreError.self) { try ledger.stamp(.full) }
    #expect(error?.description.contains("moved or deleted") == true)
  }
}
