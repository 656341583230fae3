import AuthModel
import ControlProtocol
import JobEngine
import Scheduling

/// Messages with every field filled in.
enum Samples {
  static let bootID = BootID("0123456789abcdef0123456789abcdef")
  static let wall = WallTime(seconds: 1_798_761_600)
  static let now = Now(boot: Instant(microseconds: 5_000_000_000), wall: wall)
  static let moment = Moment(bootID: bootID, now: now)
  static let job = JobID("com.example.mail-sync")

  static var record: RunRecord {
    var record = RunRecord(job: job, due: .calendar(wall), dueAt: wall, state: .failed, created: moment)
    record.reason = "exit code 1"
    record.attempt = 1
    record.failures = 1
    record.covers = 2
    record.provider = ProviderName("work")
    record.authState = "authenticated"
    record.tokenGeneration = 7
    record.deferred = moment
    record.deferredUntil = wall + .seconds(3600)
    record.started = Moment(
      bootID: bootID, now: Now(boot: now.boot + .milliseconds(3), wall: wall + .milliseconds(3)))
    record.ended = Moment(bootID: bootID, now: Now(boot: now.boot + .seconds(2), wall: wall + .seconds(2)))
    record.exit = .exited(1)
    return record
  }

  static var attempt: Attempt {
    Attempt(
      attempt: 1, started: wall, ended: wall + .seconds(1), outcome: "failed", exit: .signaled(15),
      reason: "time limit", tokenGeneration: 7)
  }

  static var jobMessage: Job {
    var definition = JobDefinition(id: job, command: .arguments(["/usr/bin/mbsync", "-a"]))
    definition.description = "Sync mail"
    definition.auth.provider = ProviderName("work")
    definition.auth.requires = .verified
    definition.schedule.intervals = [.seconds(900)]
    var job = Job(definition, file: "/etc/nightlatch/jobs.d/mail.toml")
    job.nextDue = Timestamp(wall)
    job.last = Run(record)
    job.problem = "line 3: unknown key"
    return job
  }

  static var snapshot: Snapshot {
    Snapshot(
      generation: 3, published: moment,
      session: .present(
        Snapshot.Present(
          user: User(
            id: "u1", name: "Alice", email: "alice@example.com", username: "alice",
            linkedAccounts: [LinkedAccount(kind: "wallet", identifier: "0xA11CE")]),
          tokenGeneration: 7, obtained: moment, lifetime: .seconds(600),
          verifiedIn: bootID)),
      lastAttempt: Snapshot.Attempt(
        outcome: .transient, ended: moment, retryAfter: .seconds(5), failures: 2,
        detail: "The server did not answer."))
  }

  static var provider: Provider {
    var provider = Provider(
      ProviderName("work"), kind: "oidc", state: snapshot.authState(at: now, in: bootID), snapshot: snapshot,
      at: now, in: bootID)
    provider.nextPhase = Timestamp(wall)
    provider.blocked = "login required"
    provider.reason = "rejected"
    return provider
  }

  static var status: Status {
    var status = Status(
      version: "0.1.0", pid: 42, started: Timestamp(wall), mode: .system, configFolder: "/etc/nightlatch",
      stateFolder: "/var/lib/nightlatch", runtimeFolder: "/run/nightlatch")
    status.nextJob = job.description
    status.nextDue = Timestamp(wall)
    status.storeProblem = "disk full"
    status.clockProblem = "the clock shows 1970"
    status.providers = [provider]
    return status
  }

  static let calls: [ControlCall] = [
    .status, .listJobs(nil), .listJobs(job), .listQueue(job: job, provider: ProviderName("work"), limit: 5),
    .listQueue(job: nil, provider: nil, limit: nil), .listRuns(job: job, state: .timedOut, limit: 1),
    .getRun(RunID(rawValue: 1)), .why(.run(RunID(rawValue: .max))), .why(.due(job, wall + .microseconds(1))),
    .why(.newest(job)), .runJob(job, wait: true), .runJob(job, wait: false), .cancel(.job(job)),
    .cancel(.run(RunID(rawValue: 0))), .pause(job), .resume(job), .foreground(nil, wait: true),
    .foreground(ProviderName("work"), wait: false), .listAuth(nil), .listAuth(ProviderName("work")),
    .getToken(ProviderName("work"), minValid: nil, wait: nil),
    .getToken(ProviderName("work"), minValid: .seconds(60), wait: .seconds(30)),
    .reload, .networkRestored, .getInfo, .getInterfaceDescription("org.nightlatch.Control"),
  ]

  /// A reply for each method.
  static var replies: [(method: String, reply: ControlReply)] {
    let (run, attempts) = (Run(record), [attempt])
    return [
      ("Status", .status(status)), ("ListJobs", .jobs([jobMessage])),
      ("ListQueue", .queue([run], total: 9)), ("ListRuns", .runs([run])), ("GetRun", .details(run, attempts)),
      ("Why", .explanation(run, attempts, ["It failed."])), ("RunJob", .run(run)),
      ("Cancel", .cancelled([run.run])), ("Pause", .done), ("Resume", .done),
      ("Foreground", .providers([provider])), ("ListAuth", .providers([provider])),
      ("GetToken", .token("secret", expires: Timestamp(wall))),
      (
        "Reload",
        .reloaded(
          jobs: 1, providers: 2,
          [Diagnostic(path: "/x.toml", line: 1, column: 2, severity: .warning, message: "odd")])
      ), ("NetworkRestored", .done),
    ]
  }

  static let errors: [ProtocolError] = [
    .noSuchJob("a", nearest: "b"), .noSuchJob("a"), .noSuchRun("0"), .noSuchProvider("w", nearest: "work"),
    .notPermitted(reason: "no"), .tokenUnavailable(provider: "work", authState: "notReady", reason: "none"),
    .alreadyEnded(run: "1"), .notNow(reason: "stopping"), .storeUnavailable(reason: "disk full"),
    .methodNotFound("a.B"), .methodNotImplemented("a.C"), .interfaceNotFound("a"), .invalidParameter("job"),
  ]
}
