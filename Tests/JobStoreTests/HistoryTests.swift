import AuthModel
import JobEngine
import JobStore
import Scheduling
import Testing

struct HistoryTests {
  let folder = TemporaryFolder()

  /// Two jobs, ten dues each, every third failed; the second job has a provider.
  private func fill(_ ledger: Ledger) throws -> [RunRecord] {
    var records: [RunRecord] = []
    for number in 0..<10 {
      let state: RunState = number % 3 == 0 ? .failed : .succeeded
      records.append(.due(Int64(number * 10), state))
      records.append(.due(Int64(number * 10), state, job: .backup).with { $0.provider = .work })
    }
    try ledger.stamp(records)
    return records.sorted { ($1.dueAt, $1.id) < ($0.dueAt, $0.id) }
  }

  @Test(arguments: [
    RunFilter(), RunFilter(job: .sync), RunFilter(states: [.failed]), RunFilter(states: []),
    RunFilter(states: [.failed, .succeeded, .expired]), RunFilter(provider: .work),
    RunFilter(job: .backup, states: [.failed, .expired], provider: .work),
    RunFilter(job: JobID("none")),
  ])
  func `pages of a filtered history give every match once, newest first`(filter: RunFilter) throws {
    let ledger = try Ledger(path: folder.ledger)
    let expected = try fill(ledger).filter { run in
      (filter.job.map { $0 == run.job } ?? true) && (filter.states?.contains(run.state) ?? true)
        && (filter.provider == nil || filter.provider == run.provider)
    }
    #expect(try ledger.runs(filter) == expected)
    var (seen, page): ([RunRecord], RunFilter) = ([], filter)
    page.limit = 3
    while case let next = try ledger.runs(page), !next.isEmpty {
      #expect(next.count <= 3)
      seen += next
      page.before = next.last.map(RunPosition.init)
      try #require(seen.count <= expected.count)
    }
    #expect(seen == expected)
  }

  @Test(arguments: [(Int.min, 1), (0, 1), (Int.max, 20)])
  func `a strange limit is bounded`(limit: Int, count: Int) throws {
    let ledger = try Ledger(path: folder.ledger)
    _ = try fill(ledger)
    #expect(try ledger.runs(RunFilter(limit: limit)).count == count)
  }

  @Test func `an unknown run is nil`() throws {
    #expect(try Ledger(path: folder.ledger).run(id: RunID(rawValue: 1)) == nil)
  }

  @Test func `the latest run of each job`() throws {
    let ledger = try Ledger(path: folder.ledger)
    _ = try fill(ledger)
    let latest = try ledger.latestByJob([.sync, .backup, JobID("none")])
    #expect(latest.mapValues(\.dueAt) == [.sync: WallTime(seconds: 90), .backup: WallTime(seconds: 90)])
    #expect(try ledger.latest(job: .sync) == latest[.sync])
    #expect(try ledger.latest(job: JobID("none")) == nil)
  }

  @Test(
    arguments: [(-1000, 0), (0, 0), (4, 0), (5, 0), (6, 10), (41, 40), (1_000_000, 90)] as [(Int64, Int64)])
  func `the due nearest to a time is found`(asked: Int64, found: Int64) throws {
    let ledger = try Ledger(path: folder.ledger)
    _ = try fill(ledger)
    let run = try ledger.find(job: .sync, nearest: WallTime(seconds: asked))
    #expect(run?.dueAt == WallTime(seconds: found) && run?.job == .sync)
    #expect(try ledger.find(job: JobID("none"), nearest: WallTime(seconds: asked)) == nil)
  }

  @Test func `times at the ends of the clock are no trap`() throws {
    let ledger = try Ledger(path: folder.ledger)
    for wall in [WallTime(microseconds: .min), WallTime(microseconds: .max)] {
      let record = RunRecord(job: .sync, due: .calendar(wall), dueAt: wall, state: .waiting, created: .at(0))
      try ledger.stamp(record)
      #expect(try ledger.find(job: .sync, nearest: wall) == record)
    }
    #expect(try ledger.latest(job: .sync)?.dueAt == WallTime(microseconds: .max))
  }
}
