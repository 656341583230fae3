import AuthModel
import JobEngine
import LinuxPlatform
import Scheduling
import Testing

@testable import NightlatchDaemon

/// The journal entry of each verdict.
@Suite struct RunEntryTests {
  struct Row {
    var record: RunRecord
    var text: String
    var id: MessageID
    var priority: LogEntry.Priority
  }

  nonisolated static let rows: [Row] = [
    Row(
      record: .morning(.succeeded) {
        $0.started = .at(milliseconds: 5)
        $0.ended = .at(milliseconds: 1_505)
      }, text: "com.example.sync succeeded after 1.5s", id: .runSucceeded, priority: .info),
    Row(
      record: .morning(.failed) {
        $0.attempt = 2
        $0.reason = "exit-3"
      }, text: "com.example.sync failed in attempt 2 (exit code 3)", id: .runFailed, priority: .error),
    Row(
      record: .morning(.timedOut), text: "com.example.sync exceeded its time limit and was stopped",
      id: .runTimedOut, priority: .error),
    Row(
      record: .morning(.interrupted) { $0.reason = "crash" },
      text: "com.example.sync was interrupted (daemon or machine went down) and is given up",
      id: .runInterrupted, priority: .error),
    Row(
      record: .morning(.skipped) {
        $0.reason = "missed"
        $0.covers = 4
      }, text: "com.example.sync was skipped (missed while off), together with 4 other dues", id: .runSkipped,
      priority: .notice),
    Row(
      record: .morning(.coalesced) { $0.reason = "later-due" },
      text: "com.example.sync was merged (a later due took its place)", id: .runCoalesced, priority: .info),
    Row(
      record: .morning(.expired) { $0.reason = "constraints" },
      text: "com.example.sync expired (constraints not met in time)", id: .runExpired, priority: .warning),
    Row(
      record: .morning(.cancelled) { $0.reason = "by-request" },
      text: "com.example.sync was cancelled (on request)", id: .runCancelled, priority: .notice),
    Row(
      record: .morning(.quarantined),
      text: "com.example.sync was cut off three times within 72 hours and is quarantined",
      id: .runQuarantined, priority: .error),
    Row(
      record: .morning(.deferred) { $0.reason = "unverified" },
      text: "com.example.sync is deferred (session not verified): it waits in the foreground queue",
      id: .runDeferred,
      priority: .notice),
  ]

  @Test(arguments: rows)
  func `a verdict is one sentence of its own kind`(row: Row) {
    let entry = row.record.verdictEntry
    #expect(String(decoding: entry.message, as: UTF8.self) == row.text)
    #expect(entry.messageID == row.id.rawValue)
    #expect(entry.priority == row.priority)
    #expect(entry["NIGHTLATCH_VERDICT"] == row.record.state.rawValue)
    #expect(entry["NIGHTLATCH_REASON"] == row.record.reason)
  }

  @Test func `there is a row for every verdict`() {
    #expect(Set(Self.rows.map(\.record.state)) == Set(RunState.allCases.filter(\.isFinal)).union([.deferred]))
  }

  @Test func `an entry names the run, its due, its session, its lateness and its end`() {
    let record = RunRecord.morning(.failed) {
      $0.attempt = 1
      $0.provider = .work
      $0.authState = "authenticated"
      $0.started = .at(milliseconds: 7)
      $0.exit = .exited(3)
      $0.reason = "exit-3"
    }
    let fields = Dictionary(uniqueKeysWithValues: record.verdictEntry.fields.map { ($0.name, $0.value) })
    #expect(
      fields == [
        "NIGHTLATCH_JOB": "com.example.sync", "NIGHTLATCH_RUN": record.id.description,
        "NIGHTLATCH_ATTEMPT": "1", "NIGHTLATCH_DUE": "2026-11-30T08:00:00Z",
        "NIGHTLATCH_VERDICT": "failed", "NIGHTLATCH_REASON": "exit-3", "NIGHTLATCH_PROVIDER": "work",
        "NIGHTLATCH_AUTH_STATE": "authenticated", "NIGHTLATCH_LATENESS_USEC": "7000",
        "NIGHTLATCH_EXIT_STATUS": "3",
      ])
  }

  @Test func `what is not known has no field`() {
    let names = Set(RunRecord.morning(.skipped).verdictEntry.fields.map(\.name))
    #expect(
      names == [
        "NIGHTLATCH_JOB", "NIGHTLATCH_RUN", "NIGHTLATCH_ATTEMPT", "NIGHTLATCH_DUE", "NIGHTLATCH_VERDICT",
      ])
  }

  @Test func `a signal is told apart from an exit status`() {
    let entry = RunRecord.morning(.failed) { $0.exit = .signaled(11) }.verdictEntry
    #expect(entry["NIGHTLATCH_EXIT_SIGNAL"] == "11")
    #expect(entry["NIGHTLATCH_EXIT_STATUS"] == nil)
    #expect(RunRecord.morning(.failed) { $0.exit = .unknown }.verdictEntry["NIGHTLATCH_EXIT_STATUS"] == nil)
  }
}

nonisolated extension LogEntry {
  subscript(name: String) -> String? { fields.first { $0.name == name }?.value }
}
