import AuthModel
import JobEngine
import Scheduling
import Testing

@testable import JobStore

struct QueueTests {
  let folder = TemporaryFolder()

  /// Three priorities, dues that collide, ids in an order of their own, a second provider.
  private func fill(_ ledger: Ledger) throws -> [RunRecord] {
    var records: [RunRecord] = []
    for number in 0..<60 {
      records.append(
        .deferred(
          Int64(number % 4), job: JobID("job\(number)"), priority: [0, 5, -5][number % 3],
          until: Int64(1000 + number)))
    }
    try ledger.stamp(records)
    try ledger.stamp(.deferred(0, job: .backup, provider: .home, priority: 99))
    return records.sorted { QueuePosition($0) < QueuePosition($1) }
  }

  private func take(
    _ ledger: Ledger, after position: QueuePosition?, limit: Int, provider: ProviderName = .work
  ) throws -> TakenEntries {
    let answers = try ledger.commit([.take(provider, after: position, limit: limit, pass: 3)])
    guard case .taken(let taken) = try #require(answers.first) else { throw Unexpected() }
    return taken
  }

  private struct Unexpected: Error {}

  @Test(arguments: [1, 2, 7, 20, 59, 60, 61, 1000])
  func `pages of any size give the whole queue once, in the engine's order`(limit: Int) throws {
    let ledger = try Ledger(path: folder.ledger)
    let expected = try fill(ledger)
    var seen: [RunRecord] = []
    var isExhausted = false
    while !isExhausted {
      let page = try take(ledger, after: seen.last.map(QueuePosition.init), limit: limit)
      #expect(page.provider == .work && page.pass == 3 && page.entries.count <= limit)
      try #require(!page.entries.isEmpty)
      seen += page.entries
      isExhausted = page.isExhausted
    }
    #expect(seen == expected)
  }

  @Test func `the cursor needn't be in the queue any more`() throws {
    let ledger = try Ledger(path: folder.ledger)
    let expected = try fill(ledger)
    try ledger.update(expected[9].with { $0.state = .starting })
    let page = try take(ledger, after: QueuePosition(expected[9]), limit: 1000)
    #expect(page.entries == Array(expected[10...]))
  }

  @Test(arguments: [Int.min, Int.min + 1, -1, 0, 1, Int.max])
  func `any priority and any run id keeps its place`(priority: Int) throws {
    let ledger = try Ledger(path: folder.ledger)
    let ids: [UInt64] = [0, 1, .max / 2, .max / 2 + 1, .max]
    let records = ids.map { id in
      RunRecord.deferred(1, job: JobID("job\(id)"), priority: priority).with { $0.id = RunID(rawValue: id) }
    }
    try ledger.stamp(records.reversed())
    #expect(try take(ledger, after: nil, limit: 10).entries == records)
    let middle = QueuePosition(priority: priority, dueAt: WallTime(seconds: 1), id: RunID(rawValue: ids[2]))
    #expect(try take(ledger, after: middle, limit: 10).entries == Array(records[3...]))
  }

  @Test(arguments: [(0, false), (-4, false), (Int.max, true)])
  func `a strange limit is bounded`(limit: Int, isExhausted: Bool) throws {
    let ledger = try Ledger(path: folder.ledger)
    let expected = try fill(ledger)
    let page = try take(ledger, after: nil, limit: limit)
    #expect(page.isExhausted == isExhausted)
    #expect(page.entries == (isExhausted ? expected : []))
  }

  @Test func `a provider without entries is exhausted at once`() throws {
    let ledger = try Ledger(path: folder.ledger)
    _ = try fill(ledger)
    let page = try take(ledger, after: nil, limit: 5, provider: ProviderName("other"))
    #expect(page.entries.isEmpty && page.isExhausted)
  }

  @Test func `taking leaves the entries where they are`() throws {
    let ledger = try Ledger(path: folder.ledger)
    let expected = try fill(ledger)
    _ = try take(ledger, after: nil, limit: 30)
    #expect(try take(ledger, after: nil, limit: 1000).entries == expected)
  }

  private func sweep(_ ledger: Ledger, at seconds: Int64) throws -> SweptEntries {
    let answers = try ledger.commit([.sweep(before: WallTime(seconds: seconds))])
    guard case .swept(let swept) = try #require(answers.first) else { throw Unexpected() }
    return swept
  }

  @Test func `a sweep finds what is over and says when the next is`() throws {
    let ledger = try Ledger(path: folder.ledger)
    _ = try fill(ledger)
    #expect(try sweep(ledger, at: 999) == SweptEntries(expired: [], next: WallTime(seconds: 1000)))
    let swept = try sweep(ledger, at: 1002)
    #expect(swept.expired.map(\.deferredUntil) == [1000, 1001, 1002].map { WallTime(seconds: $0) })
    #expect(swept.next == WallTime(seconds: 1003))
    for record in swept.expired { try ledger.update(record.with { $0.state = .expired }) }
    #expect(try sweep(ledger, at: 1002) == SweptEntries(expired: [], next: WallTime(seconds: 1003)))
    let all = try sweep(ledger, at: 2_000_000)
    #expect(all.expired.count == 58 && all.next == nil)
  }

  @Test func `a sweep of very many comes in thousands and names the first that is left`() throws {
    let ledger = try Ledger(path: folder.ledger)
    try ledger.stamp((0..<1001).map { .deferred(Int64($0), until: Int64($0)) })
    let swept = try sweep(ledger, at: 5000)
    #expect(swept.expired.count == 1000)
    #expect(swept.next == WallTime(seconds: 1000))
  }

  @Test func `a page for people merges the providers in drain order and counts all`() throws {
    let ledger = try Ledger(path: folder.ledger)
    let work = try fill(ledger)
    let whole = try ledger.queue(QueueFilter(limit: 1000))
    #expect(whole.total == 61 && whole.entries.first?.provider == .home && Array(whole.entries[1...]) == work)
    let page = try ledger.queue(QueueFilter(limit: 10, after: QueuePosition(work[4])))
    #expect(page.total == 61 && page.entries == Array(work[5..<15]))
    let home = try ledger.queue(QueueFilter(provider: .home))
    #expect(home.total == 1 && home.entries.map(\.job) == [.backup])
    #expect(try ledger.queue(QueueFilter(provider: ProviderName("x"))) == QueuePage(entries: [], total: 0))
  }

  @Test func `a page of one job`() throws {
    let ledger = try Ledger(path: folder.ledger)
    _ = try fill(ledger)
    let dues = (0..<5).map { RunRecord.deferred(Int64(10 - $0), job: .backup) }
    try ledger.stamp(dues)
    let mine = try ledger.queue(QueueFilter(job: .backup, provider: .work, limit: 2))
    #expect(mine.total == 5 && mine.entries == [dues[4], dues[3]])
    let next = try ledger.queue(
      QueueFilter(job: .backup, provider: .work, limit: 9, after: QueuePosition(dues[3])))
    #expect(next.total == 5 && next.entries == [dues[2], dues[1], dues[0]])
    #expect(try ledger.queue(QueueFilter(job: .backup)).total == 6)
    #expect(try ledger.queue(QueueFilter(job: .sync)).total == 0)
  }
}
