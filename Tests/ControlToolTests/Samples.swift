import AuthModel
import ControlProtocol
import JobEngine
import Scheduling

/// What a daemon with three jobs and two providers would answer.
nonisolated enum Samples {
  static let bootID = BootID("0123456789abcdef0123456789abcdef")
  /// 2026-11-30 14:05:00 UTC, a Monday.
  static let wall = WallTime(seconds: 1_796_047_500)
  static let now = Now(boot: Instant(microseconds: 90_000_000_000), wall: wall)
  static let mail = JobID("com.example.mail-sync")

  static func moment(_ ago: Duration) -> Moment {
    Moment(bootID: bootID, now: Now(boot: now.boot - ago, wall: now.wall - ago))
  }

  static func record(
    _ job: String, _ state: RunState, due ago: Duration, _ change: (inout RunRecord) -> Void = { _ in }
  ) -> ControlProtocol.Run {
    let due = wall - ago
    var record = RunRecord(
      job: JobID(job), due: .calendar(due), dueAt: due, state: state, created: moment(ago))
    change(&record)
    return ControlProtocol.Run(record)
  }

  static let succeeded = record("com.example.heartbeat", .succeeded, due: .seconds(120)) {
    $0.attempt = 1
    $0.started = moment(.seconds(120))
    $0.ended = moment(.milliseconds(118_750))
    $0.exit = .exited(0)
  }

  static let failed = record("com.example.backup", .failed, due: .seconds(43_500)) {
    $0.attempt = 3
    $0.failures = 3
    $0.started = moment(.seconds(43_000))
    $0.ended = moment(.seconds(42_915))
    $0.exit = .exited(2)
  }

  static var retrying: ControlProtocol.Run {
    var run = record("com.example.report", .retrying, due: .seconds(900)) {
      $0.attempt = 1
      $0.failures = 1
      $0.reason = "exit-75"
      $0.started = moment(.seconds(900))
      $0.ended = moment(.seconds(890))
    }
    run.nextAttempt = Timestamp(wall + .seconds(180))
    return run
  }

  static let deferred = record("com.example.mail-sync", .deferred, due: .seconds(300)) {
    $0.provider = ProviderName("work")
    $0.authState = "authenticatedUnverified"
    $0.reason = "session not verified"
    $0.covers = 3
    $0.deferred = moment(.seconds(300))
    $0.deferredUntil = wall + .seconds(42_900)
  }

  static let skipped = record("com.example.mail-sync", .skipped, due: .seconds(200_000)) {
    $0.provider = ProviderName("work")
    $0.authState = "unauthenticated"
    $0.reason = "no session"
  }

  /// A machine that has booted in 1970.
  static var statusInDoubt: Status {
    var status = status
    (status.nextJob, status.nextDue) = (nil, nil)
    status.clockProblem = "the wall clock is not trusted: it shows 1970-01-01T00:01:00Z"
    return status
  }

  static var jobs: [Job] {
    var heartbeat = JobDefinition(id: JobID("com.example.heartbeat"), command: .shell("date >> /tmp/beat"))
    heartbeat.schedule.intervals = [.seconds(180)]
    var beat = Job(heartbeat, file: "/etc/nightlatch/jobs.d/com.example.heartbeat.toml")
    beat.nextDue = Timestamp(wall + .seconds(60))
    beat.last = succeeded

    var sync = JobDefinition(id: mail, command: .arguments(["/usr/bin/mbsync", "-a"]))
    sync.description = "Sync mail\u{1b}[31m"
    sync.auth.provider = ProviderName("work")
    sync.auth.requires = .verified
    var mailSync = Job(sync, file: "/etc/nightlatch/jobs.d/com.example.mail-sync.toml")
    mailSync.state = .deferred
    mailSync.deferred = 1
    mailSync.nextDue = Timestamp(wall + .seconds(600))
    mailSync.last = deferred

    let broken = Job(
      JobID("com.example.backup"), file: "/etc/nightlatch/jobs.d/com.example.backup.toml",
      problem: "line 3: unknown key \"comand\"; did you mean \"command\"?")
    let report = JobDefinition(id: JobID("com.example.report"), command: .arguments(["report"]))
    var paused = Job(report, file: "/etc/nightlatch/jobs.d/com.example.report.toml")
    paused.paused = true
    paused.state = .paused
    paused.nextDue = Timestamp(wall + .seconds(60))
    return [mailSync, beat, broken, paused]
  }

  static var snapshot: Snapshot {
    Snapshot(
      generation: 3, published: moment(.seconds(900)),
      session: .present(
        Snapshot.Present(
          user: AuthModel.User(id: "u1", name: "alice"), tokenGeneration: 7, obtained: moment(.seconds(900)),
          lifetime: .seconds(3600), verifiedIn: bootID)),
      lastAttempt: Snapshot.Attempt(
        outcome: .success, ended: moment(.seconds(900)), failures: 0, detail: "Refreshed."))
  }

  static var providers: [Provider] {
    let work = Provider(
      ProviderName("work"), kind: "oidc", state: snapshot.authState(at: now, in: bootID), snapshot: snapshot,
      at: now, in: bootID)
    var cloud = Provider(
      ProviderName("cloud"), kind: "oauth2", state: .unauthenticated(.rejected), snapshot: nil, at: now,
      in: bootID)
    cloud.deferred = 4
    cloud.blocked = "login required"
    return [work, cloud]
  }

  static var status: Status {
    var status = Status(
      version: "0.1.0", pid: 4711, started: Timestamp(wall - .seconds(90_000)), mode: .system,
      configFolder: "/etc/nightlatch", stateFolder: "/var/lib/nightlatch", runtimeFolder: "/run/nightlatch")
    status.jobs = 3
    status.jobsWithProblems = 1
    status.running = 1
    status.deferred = 4
    status.nextJob = "com.example.heartbeat"
    status.nextDue = Timestamp(wall + .seconds(60))
    status.providers = providers
    status.diagnostics = 2
    return status
  }

  static var attempts: [Attempt] {
    [
      Attempt(
        attempt: 1, started: wall - .seconds(43_500), ended: wall - .seconds(43_490), outcome: "failed",
        exit: .exited(2)),
      Attempt(
        attempt: 2, started: wall - .seconds(43_200), ended: wall - .seconds(43_190), outcome: "failed",
        exit: .signaled(11), reason: "signal-11"),
      Attempt(
        attempt: 3, started: wall - .seconds(43_000), ended: wall - .seconds(42_915), outcome: "failed",
        exit: .exited(2)),
    ]
  }
}
