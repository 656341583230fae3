import AuthModel
import ControlProtocol
import Scheduling
import Testing

@testable import JobEngine
@testable import NightlatchDaemon

/// What `nightlatch why` says.
@Suite struct ExplanationTests {
  func lines(
    _ record: RunRecord, _ attempts: [AttemptRecord] = [], provider: ControlProtocol.Provider? = nil,
    isGone: Bool = false, isParked: Bool = false, nextAttempt: WallTime? = nil, clockProblem: String? = nil
  ) -> [String] {
    var view = Engine.JobView(
      definition: JobDefinition(id: .sync, command: .shell("true")), isPaused: false, nextDue: nil,
      running: 0, waiting: 0, deferred: 0)
    view.waitsForClock = clockProblem != nil
    view.isParked = isParked
    let job = isGone ? nil : view
    return Explanation(
      record, attempts, job: job, provider: provider, nextAttempt: nextAttempt, clockProblem: clockProblem
    ).lines
  }

  func provider(_ change: (inout ControlProtocol.Provider) -> Void = { _ in }) -> ControlProtocol.Provider {
    var provider = ControlProtocol.Provider(
      .work, kind: "oidc", state: .notReady(.noSnapshot), snapshot: nil,
      at: Now(boot: Instant(microseconds: 0), wall: .morning), in: .first)
    change(&provider)
    return provider
  }

  @Test func `a job that waits for the clock says so`() {
    let story = lines(.morning(.succeeded), clockProblem: "the clock shows 1970")
    #expect(story.last == "It is not due again yet, for the clock shows 1970.")
  }

  @Test func `a success names its trigger, its attempts and its verdict`() {
    var attempt = AttemptRecord(run: RunRecord.morning(.succeeded).id, number: 1)
    attempt.started = .at(milliseconds: 0)
    attempt.ended = .at(milliseconds: 2_000)
    attempt.outcome = .succeeded
    #expect(
      lines(.morning(.succeeded), [attempt]) == [
        "com.example.sync was due at 2026-11-30T08:00:00Z by its calendar.",
        "Attempt 1 began at 2026-11-30T08:00:00Z and ended at 2026-11-30T08:00:02Z: succeeded.",
        "Verdict: succeeded.",
      ])
  }

  @Test func `an interval, a request and merged dues are told`() {
    let interval = RunRecord(
      job: .sync, due: .interval(Instant(microseconds: 0), .first), dueAt: .morning, state: .running,
      created: .at(milliseconds: 0))
    #expect(lines(interval).first == "com.example.sync was due at 2026-11-30T08:00:00Z by its interval.")
    #expect(lines(interval).last == "It is running.")
    let request = RunRecord(
      job: .sync, due: .request(Instant(microseconds: 0), .first), dueAt: .morning, state: .retrying,
      created: .at(milliseconds: 0))
    #expect(lines(request).first == "com.example.sync was due at 2026-11-30T08:00:00Z by a request.")
    #expect(lines(request).last == "It waits for its next attempt.")
    #expect(
      lines(request, nextAttempt: .morning + .seconds(30)).last
        == "It waits for its next attempt, which begins at 2026-11-30T08:00:30Z.")
    #expect(
      lines(.morning(.queued) { $0.covers = 2 }) == [
        "com.example.sync was due at 2026-11-30T08:00:00Z by its calendar.",
        "It stands for 2 earlier dues as well.", "It waits for an earlier run of the job.",
      ])
  }

  @Test func `a failed attempt says why, one under way only when it began`() {
    var failed = AttemptRecord(run: RunRecord.morning(.running).id, number: 1)
    failed.started = .at(milliseconds: 0)
    failed.ended = .at(milliseconds: 500)
    failed.outcome = .temporary
    failed.reason = "exit-75"
    var running = AttemptRecord(run: failed.run, number: 2)
    running.started = .at(milliseconds: 1_000)
    #expect(
      lines(.morning(.running), [failed, running])[1...2] == [
        "Attempt 1 began at 2026-11-30T08:00:00Z and ended at 2026-11-30T08:00:00.5Z: temporary (exit code 75).",
        "Attempt 2 began at 2026-11-30T08:00:01Z.",
      ])
  }

  @Test func `a deferred run says what it waits for and until when`() {
    let record = RunRecord.morning(.deferred) {
      $0.reason = "unverified"
      $0.deferred = .at(milliseconds: 0)
      $0.deferredUntil = .morning + .seconds(3600)
    }
    #expect(
      lines(record, provider: provider { $0.authState = "authenticatedUnverified" })[1...] == [
        "It entered the foreground queue at 2026-11-30T08:00:00Z.",
        "It waits in the foreground queue (session not verified).",
        "The session of work is authenticatedUnverified now.",
        "It starts when a foreground phase has verified the session.",
        "If nothing changes, it expires at 2026-11-30T09:00:00Z.",
      ])
  }

  @Test func `a blocked queue says what blocks it, a backoff when it ends`() {
    let record = RunRecord.morning(.deferred) { $0.reason = "unauthenticated" }
    #expect(
      lines(record, provider: provider { $0.blocked = "login required" }).contains("Blocked: login required.")
    )
    let backingOff = provider {
      $0.nextPhase = Timestamp(.morning + .seconds(60))
      $0.lastAttempt = RefreshAttempt(
        Snapshot.Attempt(
          outcome: .transient, ended: .at(milliseconds: 0), failures: 1, detail: "no route to the server"))
    }
    let told = lines(record, provider: backingOff)
    #expect(
      told.contains(
        "The next foreground phase is at 2026-11-30T08:01:00Z; if it succeeds, the run starts."))
    #expect(told.contains("The last attempt was transient: no route to the server."))
  }

  @Test func `a parked run says what it waits for, and what a person can do`() {
    let record = RunRecord.morning(.deferred) { $0.reason = Reason.tokenRefusedAgain.text }
    let told = lines(record, provider: provider { $0.authState = "authenticated" }, isParked: true)
    #expect(
      told[1...] == [
        "It waits in the foreground queue (this token and the one before were refused).",
        "The session of work is authenticated now.",
        "Blocked: it waits for another token, and none is asked for on its account.",
        "'nightlatch refresh work' obtains one; 'nightlatch reload' has this one tried again.",
      ])
    // Released, and not yet started.
    #expect(!lines(record, provider: provider()).contains { $0.hasPrefix("Blocked") })
  }

  @Test func `a job file that is gone is told`() {
    #expect(lines(.morning(.succeeded), isGone: true).last == "The job file is gone since.")
    #expect(!lines(.morning(.succeeded)).contains("The job file is gone since."))
  }

  @Test func `a verdict says its reason in the words that the tables use`() {
    #expect(
      lines(.morning(.failed) { $0.reason = Reason.exit(.exited(75)).text }).last
        == "Verdict: failed (exit code 75).")
    let reason = Reason.notStarted("cannot start '/x': no such file; nothing was started").text
    #expect(
      lines(.morning(.failed) { $0.reason = reason }).last
        == "Verdict: failed (cannot start '/x': no such file; nothing was started).")
  }
}
