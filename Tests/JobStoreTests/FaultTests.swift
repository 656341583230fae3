import AuthModel
import CFaultyStorage
import JobEngine
import Scheduling
import Testing

@testable import JobStore

/// Every operation with a failure at its first, second, third ... operation on a file, until none is left.
///
/// Serialized: the faulty file layer has one setting for the process, and only these tests use it.
@Suite(.serialized) struct FaultTests {
  private let isRegistered = nl_faulty_register(0) == 0

  private func open(_ folder: TemporaryFolder) throws(StoreError) -> Ledger {
    try Ledger(path: folder.ledger, migrations: Migration.all, vfs: "faulty")
  }

  private nonisolated static let turns: [[StoreWrite]] = (Int64(0)..<5).map { number in
    var progress = JobProgress(calendarThrough: WallTime(seconds: number))
    progress.intervalAnchors = [.seconds(60): .at(number)]
    let begun = RunRecord.due(number, .starting, job: .backup).with { $0.attempt = 1 }
    return [
      .stamp(begun), .stamp(.deferred(number)), .saveProgress(.sync, progress),
      .take(.work, after: nil, limit: 3, pass: 1),
      .update(
        begun.with {
          $0.attemptOutcome = .failed
          $0.state = .failed
        }),
    ]
  }

  /// What the ledger holds when every turn was committed once.
  private func assertComplete(_ ledger: Ledger, _ what: Comment) throws {
    #expect(try ledger.checkIntegrity() == [], what)
    #expect(try ledger.counts() == [.failed: 5, .deferred: 5], what)
    #expect(try ledger.accounts().values.filter { !$0.isBalanced } == [], what)
    #expect(try ledger.recover().progress[.sync]?.calendarThrough == WallTime(seconds: 4), what)
  }

  @Test(arguments: [NL_FAULT_DISK_FULL, NL_FAULT_IO])
  func `a turn that fails at any write leaves nothing, and can be committed again`(fault: nl_fault) throws {
    try #require(isRegistered)
    var (operation, isReached): (Int32, Bool) = (1, true)
    while isReached {
      let folder = TemporaryFolder()
      let ledger = try open(folder)
      isReached = false
      nl_faulty_arm(fault, operation)
      for turn in Self.turns {
        let before = try ledger.counts()
        do throws(StoreError) { _ = try ledger.commit(turn) } catch {
          isReached = true
          nl_faulty_arm(NL_FAULT_NONE, 0)
          #expect(error.isTransient, "\(error)")
          #expect(try ledger.counts() == before, "operation \(operation)")
          let answers = try ledger.commit(turn)
          #expect(
            answers.prefix(2).allSatisfy { if case .stamped(_, isNew: true) = $0 { true } else { false } })
        }
      }
      nl_faulty_arm(NL_FAULT_NONE, 0)
      try assertComplete(ledger, "operation \(operation)")
      operation += 1
    }
    #expect(operation > 50, "the faults were not reached")
  }

  @Test func `opening that fails at any write can be repeated`() throws {
    try #require(isRegistered)
    var (operation, isReached): (Int32, Bool) = (1, true)
    while isReached {
      let folder = TemporaryFolder()
      isReached = false
      nl_faulty_arm(NL_FAULT_DISK_FULL, operation)
      do throws(StoreError) { _ = try open(folder) } catch {
        isReached = true
        #expect(error.isTransient, "\(error)")
      }
      nl_faulty_arm(NL_FAULT_NONE, 0)
      let ledger = try open(folder)
      for turn in Self.turns { _ = try ledger.commit(turn) }
      try assertComplete(ledger, "operation \(operation)")
      operation += 1
    }
    #expect(operation > 10, "the faults were not reached")
  }

  @Test func `pruning that fails at any write removes nothing, and can be repeated`() throws {
    try #require(isRegistered)
    var (operation, isReached): (Int32, Bool) = (1, true)
    while isReached {
      let folder = TemporaryFolder()
      let ledger = try open(folder)
      for turn in Self.turns { _ = try ledger.commit(turn) }
      isReached = false
      nl_faulty_arm(NL_FAULT_IO, operation)
      do throws(StoreError) { _ = try ledger.prune(before: WallTime(seconds: 100), limit: 100) } catch {
        isReached = true
        nl_faulty_arm(NL_FAULT_NONE, 0)
        #expect(error.isTransient, "\(error)")
        try assertComplete(ledger, "operation \(operation)")
        #expect(try ledger.prune(before: WallTime(seconds: 100), limit: 100) == 5)
      }
      nl_faulty_arm(NL_FAULT_NONE, 0)
      #expect(try ledger.counts() == [.deferred: 5] && ledger.checkIntegrity() == [])
      operation += 1
    }
    #expect(operation > 5, "the faults were not reached")
  }

  @Test func `SQLite's own limit is a full disk, and space that comes back is used`() throws {
    let folder = TemporaryFolder()
    let ledger = try Ledger(path: folder.ledger)
    try ledger.stamp(.full)
    let pages = try ledger.integer("PRAGMA page_count")
    _ = try ledger.integer("PRAGMA max_page_count = \(pages)")
    let many = (1000..<1500).map { RunRecord.deferred($0) }
    let error = #expect(throws: StoreError.self) { try ledger.stamp(many) }
    #expect(error == .failed(.commit(500), path: folder.ledger, .diskFull))
    #expect(try ledger.runs() == [.full] && ledger.checkIntegrity() == [])
    _ = try ledger.integer("PRAGMA max_page_count = 100000")
    try ledger.stamp(many)
    #expect(try ledger.counts()[.deferred] == 500)
  }
}
