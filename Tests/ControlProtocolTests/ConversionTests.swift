import AuthModel
import ControlProtocol
import JobEngine
import Scheduling
import Testing

@Suite struct ConversionTests {
  @Test func `a record becomes a run`() {
    let run = Run(Samples.record)
    #expect(run.run == RunID(job: Samples.job, due: .calendar(Samples.wall)).description)
    #expect(run.dueKind == .calendar)
    #expect(run.state == "failed")
    #expect(run.exitCode == 1)
    #expect(run.signal == nil)
    #expect(run.lateness == Microseconds(.milliseconds(3)))
    #expect(run.deferredUntil?.wall == Samples.wall + .seconds(3600))
  }

  @Test(
    arguments: [
      (.exited(75), 75, nil), (.signaled(9), nil, 9), (.unknown, nil, nil),
    ] as [(JobEngine.ExitStatus, Int?, Int?)])
  func `an exit status is a code or a signal`(_ exit: JobEngine.ExitStatus, _ code: Int?, _ signal: Int?) {
    var record = Samples.record
    record.exit = exit
    #expect(Run(record).exitCode == code)
    #expect(Run(record).signal == signal)
  }

  @Test func `only a first attempt is late`() {
    var record = Samples.record
    record.attempt = 2
    #expect(Run(record).lateness == nil)
  }

  @Test func `an interval's lateness is measured on the boot clock of its own boot`() {
    var record = RunRecord(
      job: Samples.job, due: .interval(Samples.now.boot, Samples.bootID), dueAt: Samples.wall,
      state: .running,
      created: Samples.moment)
    record.attempt = 1
    let start = Now(boot: Samples.now.boot + .seconds(1), wall: Samples.wall + .seconds(9000))
    record.started = Moment(bootID: Samples.bootID, now: start)
    #expect(Run(record).dueKind == .interval)
    #expect(Run(record).lateness == Microseconds(.seconds(1)))
    record.started = Moment(bootID: BootID("other"), now: start)
    #expect(Run(record).lateness == nil)
  }

  @Test func `a snapshot becomes a provider`() {
    let provider = Samples.provider
    #expect(provider.authState == "authenticated")
    #expect(provider.user?.id == "u1" && provider.user?.name == "Alice")
    #expect(provider.user?.email == "alice@example.com" && provider.user?.username == "alice")
    #expect(provider.user?.linkedAccounts == [.init(kind: "wallet", identifier: "0xA11CE")])
    #expect(provider.tokenExpires?.wall == Samples.wall + .seconds(600))
    #expect(provider.tokenGeneration == 7)
    #expect(provider.verified)
    #expect(provider.lastAttempt?.retryAfter == Microseconds(.seconds(5)))
    #expect(provider.lastAttempt?.outcome == "transient")
  }

  @Test func `a token's end is told also when it is past, on the clock that counts`() {
    let later = Now(boot: Samples.now.boot + .seconds(700), wall: Samples.wall + .seconds(5_000))
    func end(in bootID: BootID) -> WallTime? {
      Provider(
        ProviderName("work"), kind: "oidc", state: .notReady(.noSnapshot), snapshot: Samples.snapshot,
        at: later,
        in: bootID
      ).tokenExpires?.wall
    }
    #expect(end(in: Samples.bootID) == later.wall - .seconds(100))
    #expect(end(in: BootID("another")) == Samples.wall + .seconds(600))
  }

  @Test func `a provider without a snapshot says why`() {
    let provider = Provider(
      ProviderName("work"), kind: "oidc", state: .notReady(.unreadableStore), snapshot: nil, at: Samples.now,
      in: Samples.bootID)
    #expect(provider.authState == "notReady")
    #expect(provider.reason == "unreadableStore")
    #expect(provider.user == nil)
    #expect(provider.tokenExpires == nil)
    #expect(!provider.verified)
  }

  @Test func `a file that was never good is a job with a problem`() {
    let job = Job(Samples.job, file: "/etc/nightlatch/jobs.d/x.toml", problem: "line 1: no command")
    #expect(job.state == .problem)
    #expect(job.problem == "line 1: no command")
  }
}
