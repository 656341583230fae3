import AuthModel
import JobEngine
import JobStore
import Scheduling
import Testing

struct RecoverTests {
  let folder = TemporaryFolder()

  @Test func `an empty ledger recovers nothing`() throws {
    #expect(try Ledger(path: folder.ledger).recover() == Recovery())
  }

  @Test func `what is open comes back, and nothing else`() throws {
    let ledger = try Ledger(path: folder.ledger)
    let records = RunState.allCases.enumerated().map { number, state in
      RunRecord.deferred(Int64(number)).with { $0.state = state }
    }
    try ledger.stamp(records)
    let recovery = try Ledger(path: folder.ledger).recover()
    #expect(Set(recovery.open) == Set(records.filter { !$0.state.isFinal && $0.state != .deferred }))
    #expect(recovery.open.count == 5)
  }

  @Test func `the queue comes back as one summary a job`() throws {
    let ledger = try Ledger(path: folder.ledger)
    let sync = [RunRecord.deferred(3, until: 50), .deferred(1, until: 60), .deferred(2, until: 70)]
    let backup = RunRecord.deferred(9, job: .backup, provider: .home, until: 40)
    try ledger.stamp(sync + [backup, .due(10, .succeeded), .due(0, .waiting)])
    let recovery = try ledger.recover()
    #expect(
      recovery.deferred == [
        .sync: DeferredSummary(provider: .work, count: 3, latest: sync[0]),
        .backup: DeferredSummary(provider: .home, count: 1, latest: backup),
      ])
    #expect(recovery.nextExpiry == WallTime(seconds: 40))
  }

  @Test func `refused tokens come back, the oldest first, whatever became of their runs`() throws {
    let ledger = try Ledger(path: folder.ledger)
    for (seconds, generation) in [(2, 8), (1, 7)] as [(Int64, UInt64)] {
      let run = RunRecord.due(seconds, .running).with {
        ($0.provider, $0.tokenGeneration, $0.attempt, $0.started) = (.work, generation, 1, .at(seconds))
      }
      try ledger.stamp(run)
      try ledger.update(
        run.with { ($0.state, $0.attemptOutcome, $0.ended) = (.failed, .refused, .at(seconds + 10)) })
      // Another attempt, and a success: the refusal stands.
      try ledger.update(
        run.with { ($0.state, $0.attempt, $0.attemptOutcome) = (.succeeded, 2, .succeeded) })
    }
    #expect(
      try ledger.recover().refusals == [
        TokenRefusal(provider: .work, generation: 7, at: .at(11)),
        TokenRefusal(provider: .work, generation: 8, at: .at(12)),
      ])
  }

  @Test func `progress is replaced as a whole`() throws {
    let ledger = try Ledger(path: folder.ledger)
    var progress = JobProgress(calendarThrough: WallTime(seconds: 5))
    progress.intervalAnchors = [.seconds(60): .at(1), .milliseconds(1500): .at(2)]
    progress.isPaused = true
    _ = try ledger.commit([.saveProgress(.sync, progress), .stamp(.due(1, .succeeded, job: .backup))])
    #expect(try ledger.recover().progress == [.sync: progress])
    progress.intervalAnchors = [.seconds(60): .at(9)]
    progress.isPaused = false
    progress.calendarThrough = WallTime(seconds: 6)
    _ = try ledger.commit([.saveProgress(.sync, progress)])
    #expect(try Ledger(path: folder.ledger).recover().progress == [.sync: progress])
  }
}
