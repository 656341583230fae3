import AuthModel
import JobEngine
import JobStore
import Scheduling
import SeededRandom
import Testing

/// Random turns against ``ModelLedger``. A failure names its seed and turn, which repeat it.
struct ModelTests {
  let folder = TemporaryFolder()

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `random turns answer and leave what the model says`(seed: UInt64) throws {
    var (random, model) = (SplitMix(state: seed), ModelLedger())
    var ledger = try Ledger(path: folder.ledger)
    for turn in 0..<200 {
      let place: Comment = "seed \(seed), turn \(turn)"
      let writes = (0..<random.below(8)).map { _ in random.write(model) }
      let expected = writes.compactMap { model.commit($0) }
      #expect(try ledger.commit(writes) == expected, place)
      if random.below(20) == 0 {
        let time = random.time()
        #expect(try ledger.prune(before: time, limit: 1_000_000) == model.prune(before: time), place)
      }
      if random.below(20) == 0 { ledger = try Ledger(path: folder.ledger) }
      if turn % 10 == 9 { try compare(ledger, model, place) }
    }
    #expect(try ledger.checkIntegrity() == [])
  }

  private func compare(_ ledger: Ledger, _ model: ModelLedger, _ place: Comment) throws {
    #expect(try ledger.runs(RunFilter(limit: 1000)) == model.newestFirst, place)
    var (recovery, expected) = (try ledger.recover(), model.recovery)
    recovery.open.sort { $0.id < $1.id }
    expected.open.sort { $0.id < $1.id }
    #expect(recovery == expected, place)
    #expect(
      try ledger.queue(QueueFilter(provider: .work, limit: 1000)).entries == model.queue(of: .work), place)
    for id in model.records.keys {
      let attempts = model.attempts[id, default: [:]].values.sorted { $0.number < $1.number }
      #expect(try ledger.attempts(of: id) == attempts, place)
    }
    #expect(try ledger.accounts().values.filter { !$0.isBalanced } == [], place)
  }
}

extension SplitMix {
  fileprivate mutating func pick<Value>(_ first: Value, _ rest: Value...) -> Value {
    let index = below(rest.count + 1)
    return index == 0 ? first : rest[index - 1]
  }

  fileprivate mutating func time() -> WallTime { WallTime(seconds: Int64(below(60))) }

  mutating func write(_ model: ModelLedger) -> StoreWrite {
    switch below(12) {
    case 0...3: return .stamp(record(nil))
    case 4...6:
      let known = model.newestFirst
      return .update(record(known.isEmpty ? nil : known[below(known.count)]))
    case 7:
      var progress = JobProgress(calendarThrough: time())
      for _ in 0..<below(3) { progress.intervalAnchors[.seconds(below(4))] = .at(Int64(below(9))) }
      progress.isPaused = below(2) == 0
      return .saveProgress(pick(.sync, .backup), progress)
    case 8:
      let queue = model.queue(of: .work)
      let position = queue.isEmpty || below(3) == 0 ? nil : QueuePosition(queue[below(queue.count)])
      return .take(pick(.work, .home), after: position, limit: below(6), pass: next())
    case 9: return .moveEntries(pick(.sync, .backup), pick(.work, .home))
    case 10: return .find(Array(model.newestFirst.prefix(3).map(\.id)), RequestID(rawValue: next()))
    default: return .sweep(before: time())
    }
  }

  /// A record in any state; a later form of `known` if there is one.
  private mutating func record(_ known: RunRecord?) -> RunRecord {
    let due = Int64(below(60))
    var record = known ?? .deferred(due, job: pick(.sync, .backup))
    record.state = RunState.allCases[below(RunState.allCases.count)]
    record.provider = pick(.work, .home)
    record.priority = below(3) - 1
    record.deferredUntil = time()
    record.attempt += below(2)
    record.attemptOutcome =
      below(2) == 0 ? nil : AttemptOutcome.allCases[below(AttemptOutcome.allCases.count)]
    record.ended = below(2) == 0 ? nil : .at(Int64(below(60)))
    record.reason = pick(nil, "because", "")
    record.tokenGeneration = pick(nil, next())
    return record
  }
}
