import AuthModel
import JobEngine
import LinuxPlatform
import Scheduling
import Testing

@testable import NightlatchDaemon

/// The journal entry of everything else that is told.
@Suite struct ReportEntryTests {
  nonisolated static let run = RunRecord.morning(.running) {
    $0.attempt = 2
    $0.reason = "exit-75"
    $0.tokenGeneration = 9
  }
  nonisolated static let user = User(id: "u-1", name: "Ada")

  nonisolated static let rows: [(Report, String, MessageID?, LogEntry.Priority)] = [
    (.runStarted(run), "com.example.sync started (attempt 2)", .runStarted, .info),
    (
      .runInterrupted(
        .morning(.queued) {
          $0.attempt = 1
          $0.reason = "crash"
        }),
      "com.example.sync was interrupted in attempt 1 (daemon or machine went down); the same due is started again",
      .runInterrupted, .warning
    ),
    (
      .retryScheduled(run, after: .seconds(30)),
      "com.example.sync failed in attempt 2 (exit code 75); the next attempt is in 30s", .retryScheduled,
      .notice
    ),
    (
      .tokenRefused(run),
      "com.example.sync could not use its access token (generation 9); it waits for the next one",
      .tokenRefused, .warning
    ),
    (
      .tokenRefused(
        .morning(.running) {
          $0.reason = Reason.tokenRefusedAgain.text
          $0.tokenGeneration = 10
        }),
      "com.example.sync could not use its access token (generation 10); it waits for another, and none is asked for: the one before was refused as well",
      .tokenRefused, .warning
    ),
    (
      .tokenAlwaysTooShort(run, lifetime: .seconds(30), wanted: .seconds(60)),
      "com.example.sync got a token that lives 30s, less than its min_token_lifetime of 1min; lower it, the provider never gives more",
      .configurationProblem, .warning
    ),
    (.phaseStarted(.work, .refresh), "work: foreground phase: refresh started", .phaseStarted, .info),
    (.phaseSucceeded(.work, .publish), "work: foreground phase: publish succeeded", .phaseSucceeded, .info),
    (
      .phaseFailed(.work, .transient, detail: "no route", retryAfter: .seconds(5)),
      "work: foreground phase failed: no route; the next one is in 5s at the earliest", .phaseFailed, .warning
    ),
    (
      .phaseFailed(.work, nil, detail: "killed", retryAfter: nil), "work: foreground phase failed: killed",
      .phaseFailed, .warning
    ),
    (
      .phaseFailed(.work, .lostRotation, detail: "gone", retryAfter: nil),
      "work: foreground phase failed: gone", .lostRotation, .error
    ),
    (
      .providerParked(.work, detail: "invalid_client", needsLogin: false),
      "work: nothing more is tried: invalid_client. Mend it, then run 'nightlatch reload'", .providerParked,
      .error
    ),
    (
      .spentTokenReturned(.work, detail: "verified; but"), "work: verified; but", .spentTokenReturned,
      .warning
    ),
    (
      .loginRequired(.work, .rejected, blocked: 3),
      "work: no session (the server ended the session): run 'nightlatch login work'; 3 deferred runs wait for it",
      .loginRequired, .warning
    ),
    (
      .authStateChanged(.work, .authenticated(user)), "work: session is authenticated (Ada)", nil, .info
    ),
    (
      .authStateChanged(.work, .authenticatedUnverified(User(id: "u-1", name: nil))),
      "work: session is authenticatedUnverified (u-1)", nil, .info
    ),
    (
      .authStateChanged(.work, .notReady(.noSnapshot)),
      "work: session is notReady (nothing published yet in this boot)", nil, .info
    ),
    (
      .clockStepped, "The wall clock was set: calendar dues are recomputed, none is run twice.",
      .clockStepped, .notice
    ),
    (
      .clockDoubted(.behind(newest: .morning), at: WallTime(microseconds: 1_500_000)),
      "The wall clock is not trusted: it shows 1970-01-01T00:00:01Z, but the newest due in the ledger is of 2026-11-30T08:00:00Z; calendar dues wait until it is past that or is synchronised.",
      .clockDoubted, .warning
    ),
    (
      .clockDoubted(.unsynchronized, at: .morning),
      "The wall clock is not trusted: it shows 2026-11-30T08:00:00Z and has not been synchronised since the machine booted; calendar dues wait for that.",
      .clockDoubted, .warning
    ),
    (
      .clockBelieved, "The clock is trusted: calendar dues go on from the last one that was decided.",
      .clockBelieved, .notice
    ),
  ]

  @Test(arguments: rows.indices)
  func `a report is one sentence of its own kind`(index: Int) {
    let (report, text, id, priority) = Self.rows[index]
    let entry = report.logEntry
    #expect(String(decoding: entry.message, as: UTF8.self) == text)
    #expect(entry.messageID == id?.rawValue)
    #expect(entry.priority == priority)
  }

  @Test func `what is told of a run names the run, and of a provider the provider`() {
    for (report, _, _, _) in Self.rows {
      switch report {
      case .verdict, .runStarted, .runInterrupted, .retryScheduled, .tokenRefused, .tokenAlwaysTooShort:
        #expect(report.logEntry["NIGHTLATCH_RUN"] == Self.run.id.description)
      case .clockStepped, .clockDoubted, .clockBelieved:
        #expect(report.logEntry.fields.isEmpty)
      default: #expect(report.logEntry["NIGHTLATCH_PROVIDER"] == "work")
      }
    }
  }

  @Test func `an interruption is told as one, whatever the run becomes`() {
    #expect(Report.runInterrupted(Self.run).logEntry["NIGHTLATCH_VERDICT"] == "interrupted")
  }

  @Test func `a failed phase tells its outcome, a login its reason`() {
    let failed = Report.phaseFailed(.work, .ambiguous, detail: "reset", retryAfter: nil)
    #expect(failed.logEntry["NIGHTLATCH_REASON"] == "ambiguous")
    let login = Report.loginRequired(.work, .loggedOut, blocked: 0).logEntry
    #expect(login["NIGHTLATCH_REASON"] == "loggedOut")
    #expect(login["NIGHTLATCH_AUTH_STATE"] == "unauthenticated")
  }

  @Test func `no two kinds of entries have the same number`() {
    #expect(Set(MessageID.allCases.map(\.rawValue)).count == MessageID.allCases.count)
  }
}
