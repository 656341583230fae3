import AuthModel
import ControlProtocol
import Glibc
import JobEngine
import JobStore
import Scheduling
import Testing

@testable import LinuxPlatform
@testable import NightlatchDaemon

/// The shell around the engine, in this process.
@Suite(.timeLimit(.minutes(1))) struct DaemonTests {
  let stage: Stage

  init() throws { stage = try Stage() }

  func status(_ daemon: Daemon) throws -> Status {
    guard case .status(let status) = daemon.answer(.status) else { throw Unexpected() }
    return status
  }

  struct Unexpected: Error {}

  @Test func `one turn takes a request to a running process, its end to a verdict`() async throws {
    try stage.job(.sync, "shell = 'read line < \(stage.path)/go'\n")
    mkfifo("\(stage.path)/go", 0o600)
    let daemon = try stage.daemon()
    daemon.request(.run(.sync))
    #expect(try daemon.run()?.state == .running)
    #expect(try status(daemon).running == 1)
    #expect(daemon.statusLine.hasPrefix("1 running, 0 deferred"))
    try await until {
      let fd = open("\(stage.path)/go", O_WRONLY | O_NONBLOCK | O_CLOEXEC)
      defer { close(fd) }
      return fd >= 0 && write(fd, "\n", 1) == 1
    }
    try await until { try daemon.run()?.state == .succeeded }
    #expect(try status(daemon).running == 0)
    #expect(stage.log.contains("com.example.sync started (attempt 1)\ncom.example.sync succeeded after "))
  }

  @Test func `a run's output is in the log under its job, both streams, to the last line`() async throws {
    try stage.job(.sync, "shell = 'echo out; echo err >&2; printf last'\n")
    let daemon = try stage.daemon()
    daemon.request(.run(.sync))
    try await until { try daemon.run()?.state == .succeeded }
    let lines = stage.log.split(separator: "\n").filter { $0.hasPrefix("com.example.sync: ") }
    #expect(Set(lines) == ["com.example.sync: out", "com.example.sync: err", "com.example.sync: last"])
  }

  @Test func `an interval's runs come by themselves, each due once`() async throws {
    try stage.job(.sync, "command = ['/bin/true']\n[schedule]\nevery = '20ms'\nmissed = 'all'\n")
    let daemon = try stage.daemon()
    try await until { try daemon.runs().filter { $0.state == .succeeded }.count >= 5 }
    let dues = try daemon.runs().compactMap { record -> Int64? in
      guard case .interval(let instant, _) = record.due else { return nil }
      return instant.microseconds
    }.sorted()
    #expect(zip(dues, dues.dropFirst()).allSatisfy { $1 - $0 == 20_000 })
  }

  // MARK: - A ledger that can't be written

  @Test func `while the ledger can't be written nothing starts, and afterwards nothing is lost`() async throws
  {
    try stage.job(.sync, "shell = 'echo ran >> \(stage.path)/ran'\noverlap = 'allow'\n")
    let daemon = try stage.daemon()
    for file in ["ledger.db", "ledger.db-wal", "ledger.db-shm"] where stage.exists("state/\(file)") {
      try stage.move("state/\(file)", to: "away-\(file)")
    }
    daemon.request(.run(.sync))
    daemon.request(.run(.sync))
    #expect(daemon.storeProblem != nil)
    #expect(try status(daemon).storeProblem?.contains("moved or deleted") == true)
    #expect(daemon.statusLine.hasPrefix("the ledger can't be written"))
    #expect(try daemon.runs().isEmpty)
    #expect(stage.log.contains("Nothing is started until it can be written; it is tried again."))
    for file in ["ledger.db", "ledger.db-wal", "ledger.db-shm"] where stage.exists("away-\(file)") {
      try stage.move("away-\(file)", to: "state/\(file)")
    }
    try await until { daemon.storeProblem == nil }
    try await until { try daemon.runs().filter { $0.state == .succeeded }.count == 2 }
    #expect(stage.text("ran") == "ran\nran\n")
    #expect(stage.log.contains("The ledger can be written again; work goes on."))
    // Told once, not at each try.
    #expect(stage.log.components(of: "Nothing is started until").count == 2)
  }

  // MARK: - Reload

  @Test func `a reload takes new files, drops gone ones and says what is wrong with bad ones`() throws {
    try stage.job(JobID("gone"), "command = ['/bin/true']\n")
    try stage.job(JobID("bad"), "command = ['/bin/true']\n")
    let daemon = try stage.daemon()
    stage.remove("config/jobs.d/gone.toml")
    try stage.job(JobID("new"), "command = ['/bin/true']\n")
    try stage.job(JobID("bad"), "command = [\n")
    guard case .reloaded(let jobs, let providers, let diagnostics) = daemon.reloadReply() else {
      throw Unexpected()
    }
    #expect((jobs, providers) == (2, 0))
    #expect(diagnostics.map(\.path) == ["\(stage.path)/config/jobs.d/bad.toml"])
    #expect(daemon.engine.jobIDs == [JobID("bad"), JobID("new")])
    #expect(try status(daemon).jobsWithProblems == 1)
  }

  // MARK: - The clock

  @Test func `a clock behind the ledger holds calendar dues until it is synchronised, and everybody is told`()
    async throws
  {
    try stage.job(.sync, "command = ['/bin/true']\n[schedule]\ncalendar = '*:*:*'\n")
    do {
      let future = JobProgress(calendarThrough: WallTime(seconds: 4_039_430_400))
      _ = try Ledger(path: stage.folders.ledger).commit([.saveProgress(.sync, future)])
    }
    var isSynchronized = false
    let daemon = try stage.daemon { isSynchronized }
    let problem = try #require(try status(daemon).clockProblem)
    #expect(problem.hasPrefix("the wall clock is not trusted: it shows "))
    #expect(problem.contains("the newest due in the ledger is of 2098-01-01T16:00:00Z"))
    #expect(daemon.statusLine.hasPrefix("the wall clock is not trusted"))
    #expect(stage.log.contains("The wall clock is not trusted: it shows "))
    guard case .failure(.notNow(let reason)) = daemon.answer(.why(.newest(.sync))) else { throw Unexpected() }
    #expect(reason.hasPrefix("the job has had no due yet, for the wall clock is not trusted"))
    isSynchronized = true
    daemon.post(.woke)
    try await until { try daemon.runs().contains { $0.state == .succeeded } }
    #expect(try status(daemon).clockProblem == nil)
    #expect(stage.log.contains("The clock is trusted: calendar dues go on"))
  }

  // MARK: - Tokens

  private func publish(_ token: String, generation: UInt64, wall offset: Duration = .zero) throws {
    let now = SystemClock.now()
    let obtained = Moment(bootID: try SystemClock.bootID(), now: now)
    try stage.write("runtime/tokens/work", token)
    let wall = (now.wall + offset).microseconds
    let time = timespec(tv_sec: Int(wall / 1_000_000), tv_nsec: Int(wall % 1_000_000) * 1000)
    utimensat(AT_FDCWD, "\(stage.folders.tokens)/work", [time, time], 0)
    let present = Snapshot.Present(
      user: User(id: "u-1", name: nil), tokenGeneration: generation, obtained: obtained,
      lifetime: .seconds(3600), verifiedIn: obtained.bootID)
    try stage.publish(Snapshot(generation: 0, published: obtained, session: .present(present)))
  }

  @Test func `a token file of another moment than the snapshot defers the run, the next token releases it`()
    async throws
  {
    try stage.provider()
    try stage.job(
      .sync,
      "shell = 'cat $NIGHTLATCH_TOKEN_FILE > \(stage.path)/got'\n[auth]\nprovider = 'work'\nrequires = 'verified'\n"
    )
    try publish("first", generation: 1, wall: .seconds(1))
    let daemon = try stage.daemon()
    daemon.request(.run(.sync))
    let deferred = try #require(try daemon.run())
    #expect(deferred.state == .deferred)
    #expect(deferred.reason?.contains("not the one that the auth cache describes") == true)
    #expect(try daemon.ledger.attempts(of: deferred.id).map(\.outcome) == [.notStarted])
    #expect(!stage.exists("got"))
    try publish("second", generation: 2)
    daemon.post(.woke)
    try await until { try daemon.run()?.state == .succeeded }
    #expect(stage.text("got") == "second")
    #expect(try daemon.run()?.tokenGeneration == 2)
    #expect(!stage.exists("runtime/runs/\(deferred.id)"))
  }

  @Test func `every entry of a parked job is told as blocked, whatever it came in for`() async throws {
    try stage.provider()
    try stage.job(
      .sync, "shell = 'exit 77'\n[auth]\nprovider = 'work'\nrequires = 'verified'\ncoalesce = 'all'\n")
    try publish("first", generation: 1)
    let daemon = try stage.daemon()
    let queue: () throws -> [Run] = {
      guard case .queue(let entries, _) = daemon.answer(.listQueue(job: nil, provider: nil, limit: nil))
      else {
        throw Unexpected()
      }
      return entries
    }
    daemon.request(.run(.sync))
    try await until { try daemon.run()?.state == .deferred }
    daemon.request(.run(.sync))
    #expect(try queue().map(\.blocked) == [nil, nil])
    try publish("second", generation: 2)
    daemon.post(.woke)
    try await until { daemon.engine.view(of: .sync)?.isParked == true }
    #expect(try queue().map(\.blocked) == ["tokens refused", "tokens refused"])
    #expect(try Set(queue().compactMap(\.reason)) == ["unverified", "token-refused-again"])
  }
}

extension String {
  fileprivate func components(of separator: String) -> [Substring] {
    split(separator: separator, omittingEmptySubsequences: false)
  }
}
