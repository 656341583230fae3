import AuthModel
import ControlProtocol
import JobEngine
import Scheduling
import Testing

@testable import ControlTool

struct CommandTests {
  let stage = Stage()

  @Test(arguments: [nil, 80, 50] as [Int?])
  func `what people see is the reviewed text`(_ width: Int?) throws {
    let shows: [([String], ControlReply)] = [
      (["status"], .status(Samples.status)),
      (["status"], .status(Samples.statusInDoubt)),
      (["list"], .jobs(Samples.jobs)),
      (["list", "com.example.mail-sync"], .jobs([Samples.jobs[0]])),
      (["queue"], .queue([Samples.deferred], total: 4)),
      (
        ["runs"],
        .runs([Samples.succeeded, Samples.deferred, Samples.failed, Samples.retrying, Samples.skipped])
      ),
      (
        ["why", Samples.failed.run],
        .explanation(
          Samples.failed, Samples.attempts, ["It failed three times.", "It has no attempts left."])
      ),
      (
        ["why", "com.example.mail-sync"],
        .explanation(Samples.deferred, [], ["It needs a verified session of work."])
      ),
      (["why", Samples.retrying.run], .explanation(Samples.retrying, [Samples.attempts[0]], [])),
      (["run", "com.example.backup"], .run(Samples.failed)),
      (["foreground"], .providers(Samples.providers)),
      (["cancel", "com.example.mail-sync"], .cancelled([Samples.deferred.run])),
      (
        ["reload"],
        .reloaded(
          jobs: 2, providers: 1,
          [
            ControlProtocol.Diagnostic(
              path: "/etc/x.toml", line: 3, column: 1, severity: .warning, message: "odd")
          ])
      ),
    ]
    var text = ""
    for (arguments, reply) in shows {
      let stage = Stage()
      stage.terminal = Terminal(width: width, hasColors: width != nil)
      let daemon = stage.daemon(.reply(reply))
      var tool = Tool(stage.surroundings)
      #expect(tool.run(arguments) == 0)
      #expect(daemon.finish().count == 1)
      text += "$ nightlatch \(arguments.joined(separator: " "))\n\(stage.output)\n"
    }
    let visible = text.replacing("\u{1b}", with: "^[")
    let name = width.map { $0 < 80 ? "narrow" : "terminal" } ?? "file"
    try Golden.expect(visible, equals: "Tests/ControlToolTests/Golden/\(name).txt")
    #expect(stage.complaints.isEmpty)
  }

  @Test(
    arguments: [
      (["list"], .jobs([]), "No jobs. Put a job file in "),
      (["queue"], .queue([], total: 0), "The foreground queue is empty"),
      (["runs"], .runs([]), "No such runs yet."),
      (["foreground"], .providers([]), "The daemon has no providers. nightlatch check tells"),
      (["cancel", "x"], .cancelled([]), "Nothing to cancel"),
    ] as [([String], ControlReply, String)])
  func `nothing is said in a useful way`(_ arguments: [String], _ reply: ControlReply, _ beginning: String) {
    let daemon = stage.daemon(.reply(reply))
    var tool = Tool(stage.surroundings)
    #expect(tool.run(arguments) == 0)
    #expect(stage.output.hasPrefix(beginning))
    _ = daemon.finish()
  }

  @Test func `a parked run is shown as blocked, not as one that waits for a session that is there`() {
    var parked = Samples.deferred
    // It came in before the token was refused.
    (parked.reason, parked.blocked) = (Reason.unverified.text, "tokens refused")
    let daemon = stage.daemon(.reply(.queue([parked], total: 1)))
    #expect(stage.run("queue") == 0)
    #expect(stage.output.contains("work (blocked: tokens refused)"))
    _ = daemon.finish()
  }

  @Test func `a phase that could not start is a failure, whatever the session is`() throws {
    let daemon = stage.daemon(.reply(.providers([Samples.providers[0]])))
    #expect(stage.run("foreground", "work", "--wait") == 0)
    _ = daemon.finish()

    var provider = Samples.providers[0]
    (provider.phase, provider.blocked) = (.parked, "work.toml has mistakes")
    let other = CommandTests()
    let parked = other.stage.daemon(.reply(.providers([provider])))
    #expect(other.stage.run("foreground", "work", "--wait") == 75)
    #expect(other.stage.complaints == "work: no phase can start: work.toml has mistakes\n")
    _ = parked.finish()
  }

  @Test(
    arguments: [
      (["status"], .status), (["list", "a"], .listJobs(JobID("a"))),
      (
        ["queue", "a", "--provider", "w", "-n3"],
        .listQueue(job: JobID("a"), provider: ProviderName("w"), limit: 3)
      ),
      (["runs", "--verdict", "timed-out"], .listRuns(job: nil, state: .timedOut, limit: 20)),
      (["why", "00000000000000ff"], .why(.run(RunID(rawValue: 255)))),
      (["why", "a"], .why(.newest(JobID("a")))),
      (["why", "a", "@1"], .why(.due(JobID("a"), WallTime(seconds: 1)))),
      (["why", "a", "1970-01-01T00:00:01Z"], .why(.due(JobID("a"), WallTime(seconds: 1)))),
      (["run", "a"], .runJob(JobID("a"), wait: false)),
      (["run", "a", "--wait"], .runJob(JobID("a"), wait: true)),
      (["cancel", "00000000000000ff"], .cancel(.run(RunID(rawValue: 255)))),
      (["cancel", "a"], .cancel(.job(JobID("a")))),
      (["pause", "a"], .pause(JobID("a"))), (["resume", "a"], .resume(JobID("a"))),
      (["foreground"], .foreground(nil, wait: false)),
      (["foreground", "w", "-w"], .foreground(ProviderName("w"), wait: true)),
      (["token", "w"], .getToken(ProviderName("w"), minValid: nil, wait: nil)),
      (
        ["token", "w", "--min-valid", "1min 30s"],
        .getToken(ProviderName("w"), minValid: .seconds(90), wait: nil)
      ), (["token", "w", "--wait"], .getToken(ProviderName("w"), minValid: nil, wait: .seconds(60))),
      (
        ["token", "w", "--wait", "--timeout", "5s"],
        .getToken(ProviderName("w"), minValid: nil, wait: .seconds(5))
      ),
      (["reload"], .reload), (["network-restored"], .networkRestored),
    ] as [([String], ControlCall)])
  func `a command asks the daemon for what it says`(_ arguments: [String], _ call: ControlCall) {
    let daemon = stage.daemon(.reply(.failure(.notNow(reason: "busy"))))
    var tool = Tool(stage.surroundings)
    #expect(tool.run(arguments) == 75)
    #expect(daemon.finish() == [call])
    #expect(stage.complaints == "nightlatch: Not now: busy\n")
    #expect(stage.output.isEmpty)
  }

  @Test(
    arguments: [
      (["status", "--json"], .status(Samples.status)), (["list", "--json"], .jobs(Samples.jobs)),
      (["queue", "--json"], .queue([], total: 0)), (["runs", "--json"], .runs([Samples.failed])),
      (["why", "a", "--json"], .explanation(Samples.failed, [], [])),
      (["run", "a", "--json"], .run(Samples.failed)),
      (["cancel", "a", "--json"], .cancelled([])), (["foreground", "--json"], .providers(Samples.providers)),
      (["token", "w", "--json"], .token("t", expires: nil)),
      (["reload", "--json"], .reloaded(jobs: 0, providers: 0, [])),
    ] as [([String], ControlReply)])
  func `JSON is one document on one line`(_ arguments: [String], _ reply: ControlReply) {
    let daemon = stage.daemon(.reply(reply))
    var tool = Tool(stage.surroundings)
    #expect(tool.run(arguments) == 0)
    _ = daemon.finish()
    #expect(stage.output.hasPrefix("{") && stage.output.hasSuffix("}\n"))
    #expect(stage.output.count { $0 == "\n" } == 1)
  }

  @Test func `every command that shows data has JSON`() {
    let silent = [
      "logs", "pause", "resume", "login", "logout", "refresh", "network-restored", "help", "names",
      "doctor",
    ]
    for command in CommandTable.commands {
      #expect(command.options.contains(.json) != silent.contains(command.name), "\(command.name)")
    }
  }

  @Test(
    arguments: [
      (.noSuchJob("a", nearest: "b"), 1), (.notPermitted(reason: "no"), 77),
      (.storeUnavailable(reason: "full"), 75),
      (.tokenUnavailable(provider: "w", authState: "notReady", reason: "none"), 75),
      (.methodNotFound("x"), 1),
      (.invalidParameter("job"), 1), (.alreadyEnded(run: "1"), 1),
    ] as [(ProtocolError, Int32)])
  func `a refusal is told apart by the exit status`(_ error: ProtocolError, _ status: Int32) {
    let daemon = stage.daemon(.reply(.failure(error)))
    #expect(stage.run("run", "a") == status)
    #expect(stage.complaints == "nightlatch: \(error)\n")
    _ = daemon.finish()
  }

  @Test func `without a daemon the exit status is 69`() {
    #expect(stage.run("status") == 69)
    #expect(stage.complaints.contains("\(stage.folder.path)/control.sock"))
    #expect(stage.complaints.contains("systemctl"))
  }

  @Test(
    arguments: [
      (Samples.succeeded, 0), (Samples.failed, 1), (Samples.deferred, 75), (Samples.skipped, 1),
    ] as [(ControlProtocol.Run, Int32)])
  func `waiting for a run ends as the run did`(_ run: ControlProtocol.Run, _ status: Int32) {
    let daemon = stage.daemon(.reply(.run(run)))
    #expect(stage.run("run", run.job, "--wait") == status)
    _ = daemon.finish()
  }

  @Test func `a token is printed alone`() {
    let daemon = stage.daemon(.reply(.token("s3cret", expires: Timestamp(Samples.wall))))
    #expect(stage.run("token", "work") == 0)
    #expect(stage.output == "s3cret\n")
    _ = daemon.finish()
  }

  @Test(arguments: [
    ["queue", "-n", "0"], ["queue", "-n", "many"], ["runs", "--verdict", "faild"], ["why", "a", "yesterday"],
    ["token", "w", "--min-valid", "soon"], ["calendar", "x", "--dst", "maybe"],
    ["calendar", "x", "--timezone", "No/Where"],
    ["calendar", "x", "--base-time", "noon"], ["calendar", "x", "--cron", "--every"], ["logs", "-n", "-3"],
    ["login"],
  ])
  func `a bad value is a usage error before anybody is asked`(_ arguments: [String]) {
    var tool = Tool(stage.surroundings)
    #expect(tool.run(arguments) == 64)
    #expect(stage.complaints.hasPrefix("nightlatch: "))
  }

  @Test func `pausing stops at the first refusal and says what was done`() {
    let daemon = stage.daemon(.reply(.done), .reply(.failure(.noSuchJob("b", nearest: "a"))))
    #expect(stage.run("pause", "a", "b", "c") == 1)
    #expect(stage.output == "Paused a.\n")
    #expect(stage.complaints == "nightlatch: There is no job b; did you mean a?\n")
    #expect(daemon.finish() == [.pause(JobID("a")), .pause(JobID("b"))])
  }
}
