import AuthModel
import Glibc
import JobEngine
import Scheduling
import Testing

@testable import JobStore

/// A process that is killed, by itself at any operation on a file or by us at any acknowledgement.
struct CrashTests {
  private nonisolated static let turns = 4

  @Test func `killed at any write: what was acknowledged is there, whole, and once`() throws {
    var (operation, wasKilled) = (1, true)
    while wasKilled {
      let folder = TemporaryFolder()
      let child = try Child.run([folder.ledger, "\(Self.turns)", "\(operation)"])
      wasKilled = child.wasKilled
      try assertSurvived(child, folder, "killed at operation \(operation)")
      operation += 1
    }
    #expect(operation > 40, "it was never killed in a turn")
  }

  @Test(arguments: 1..<turns) func `killed after any acknowledgement`(line: Int) throws {
    let folder = TemporaryFolder()
    var seen = 0
    let child = try Child.run([folder.ledger, "\(Self.turns)", "0"]) { _, pid in
      seen += 1
      if seen == line { kill(pid, SIGKILL) }
    }
    #expect(child.lines.count >= line)
    try assertSurvived(child, folder, "killed after line \(line)")
  }

  /// The ledger has the acknowledged turns, perhaps the one after them, and nothing in part; and a second
  /// process that does it all again completes it.
  private func assertSurvived(_ child: Child, _ folder: TemporaryFolder, _ what: Comment) throws {
    let acknowledged = child.lines.count
    #expect(child.lines == Array(repeating: "2", count: acknowledged), what)
    var present = 0
    do {
      let ledger = try Ledger(path: folder.ledger)
      #expect(try ledger.checkIntegrity() == [], what)
      present = try ledger.runs().count / 2
      #expect((acknowledged...acknowledged + 1).contains(present), what)
      try assertHolds(turns: present, ledger, what)
    }
    let again = try Child.run([folder.ledger, "\(Self.turns)", "0"])
    #expect(again.status == 0, what)
    let new = again.lines.compactMap(Int.init)
    #expect(new.prefix(present).allSatisfy { $0 == 0 } && new.dropFirst(present).allSatisfy { $0 == 2 }, what)
    try assertHolds(turns: Self.turns, Ledger(path: folder.ledger), what)
  }

  /// Each turn stamps two dues, the first of which is begun, and ends the one that the turn before began.
  private func assertHolds(turns: Int, _ ledger: Ledger, _ what: Comment) throws {
    let expected: [RunState: Int] = [.starting: 1, .deferred: turns, .succeeded: turns - 1]
    #expect(try ledger.counts() == (turns == 0 ? [:] : expected.filter { $0.value > 0 }), what)
    let through = turns == 0 ? nil : WallTime(seconds: Int64(2 * turns - 1))
    #expect(try ledger.recover().progress.values.first?.calendarThrough == through, what)
    #expect(try ledger.accounts().values.filter { !$0.isBalanced } == [], what)
  }

  @Test func `a new ledger is opened by two processes at once, each time`() throws {
    for _ in 0..<25 {
      let folder = TemporaryFolder()
      var children = [
        try Child.start([folder.ledger, "1", "0"]), try Child.start([folder.ledger, "1", "0"]),
      ]
      for index in children.indices { children[index].finish() }
      #expect(children.map(\.status) == [0, 0], "\(children.map(\.lines))")
    }
  }

  @Test func `two processes at once record each due once`() throws {
    let folder = TemporaryFolder()
    let turns = 40
    var children = [
      try Child.start([folder.ledger, "\(turns)", "0"]), try Child.start([folder.ledger, "\(turns)", "0"]),
    ]
    for index in children.indices { children[index].finish() }
    #expect(children.map(\.status) == [0, 0], "\(children.map(\.lines))")
    let new = children.flatMap(\.lines).compactMap(Int.init).reduce(0, +)
    #expect(new == 2 * turns)
    let ledger = try Ledger(path: folder.ledger)
    #expect(try ledger.runs(RunFilter(limit: 1000)).count == 2 * turns)
    #expect(try ledger.accounts().values.map(\.stamped) == [2 * turns])
    #expect(try ledger.checkIntegrity() == [])
  }
}
