import ControlProtocol
import JobEngine
import Testing

@testable import ControlTool

struct LaunchTests {
  let stage = Stage()

  private var folders: [String] {
    let path = stage.folder.path
    return ["--config", "\(path)/config", "--state", "\(path)/state", "--runtime", path]
  }

  @Test(arguments: ["login", "logout", "refresh"])
  func `a session is changed by the foreground agent alone`(_ verb: String) throws {
    try stage.folder.write("", to: "config/providers.d/work.toml")
    #expect(stage.run("--system", verb) == 0)
    let launch = try #require(stage.launch)
    #expect(launch.arguments == ["nightlatch-foreground", verb, "work", "--system"] + folders)
    #expect(launch.candidates.count == 4)
    #expect(launch.candidates[0].hasSuffix("/nightlatch-foreground"))
    #expect(launch.candidates[1].hasSuffix("/../lib/nightlatch/nightlatch-foreground"))
    #expect(launch.candidates[2...] == ["/first/nightlatch-foreground", "/second/nightlatch-foreground"])
  }

  @Test func `doctor is the agent's, for one provider or all, or none at all`() throws {
    #expect(stage.run("--system", "doctor") == 0)
    #expect(stage.launch?.arguments == ["nightlatch-foreground", "doctor", "--system"] + folders)
    try stage.folder.write("", to: "config/providers.d/work.toml")
    #expect(stage.run("--system", "doctor", "work") == 0)
    #expect(stage.launch?.arguments == ["nightlatch-foreground", "doctor", "work", "--system"] + folders)
    #expect(stage.run("doctor", "wrok") == 1)
  }

  @Test func `logs of a job that nobody knows are a mistake, with the nearest name`() throws {
    try stage.folder.write("", to: "config/jobs.d/com.example.sync.toml")
    #expect(stage.run("logs", "com.example.snyc") == 1)
    #expect(stage.complaints.contains("There is no job com.example.snyc; did you mean com.example.sync?"))
    #expect(stage.run("logs", "com.example.sync") == 0)
  }

  @Test func `the ledger may know a job whose file is gone, or say that nobody does`() throws {
    try stage.folder.write("", to: "config/jobs.d/com.example.sync.toml")
    let daemon = stage.daemon(.reply(.runs([Samples.failed])))
    #expect(stage.run("logs", "com.example.backup") == 0)
    #expect(daemon.finish() == [.listRuns(job: JobID("com.example.backup"), state: nil, limit: 1)])
    let other = LaunchTests()
    let stricter = other.stage.daemon(.reply(.failure(.noSuchJob("com.example.snyc", nearest: nil))))
    #expect(other.stage.run("logs", "com.example.snyc") == 1)
    #expect(other.stage.complaints == "nightlatch: There is no job com.example.snyc.\n")
    _ = stricter.finish()
  }

  @Test func `a timeout is for a wait`() {
    #expect(stage.run("token", "work", "--timeout", "5s") == 64)
    #expect(stage.complaints.contains("--timeout belongs to --wait"))
    #expect(stage.run("token", "work", "--wait", "--timeout", "2h") == 64)
    #expect(stage.complaints.contains("--timeout takes at most 1h"))
    #expect(stage.run("token", "work", "--min-valid", "soon") == 64)
    #expect(stage.complaints.contains("--min-valid: "))
  }

  @Test func `a command is for one daemon`() {
    #expect(stage.run("status", "--user", "--system") == 64)
    #expect(stage.complaints.contains("--system and --user are two daemons"))
  }

  @Test(arguments: ["--device", "--browser", "--import"])
  func `the way to log in is handed on`(_ option: String) throws {
    try stage.folder.write("", to: "config/providers.d/work.toml")
    #expect(stage.run("--user", "login", option) == 0)
    #expect(stage.launch?.arguments.prefix(4) == ["nightlatch-foreground", "login", "work", option])
    #expect(stage.run("login", option, "--device", "--import") == 64)
    #expect(stage.complaints.contains("only one of --device, --browser and --import"))
  }

  @Test func `the provider must be named when there are two`() throws {
    try stage.folder.write("", to: "config/providers.d/work.toml")
    try stage.folder.write("", to: "config/providers.d/cloud.toml")
    #expect(stage.run("login") == 64)
    #expect(stage.complaints.contains("one of the providers cloud, work"))
    #expect(stage.run("login", "wrok") == 1)
    #expect(stage.complaints.contains("There is no provider wrok; did you mean work?"))
    #expect(stage.run("--user", "login", "work") == 0)
    #expect(stage.launch?.arguments.prefix(4) == ["nightlatch-foreground", "login", "work", "--user"])
  }

  @Test(
    arguments: [
      ([], ["--identifier=nightlatchd"]),
      (["com.example.mail-sync"], ["NIGHTLATCH_JOB=com.example.mail-sync"]),
      (["00000000000000ff", "-f"], ["--follow", "NIGHTLATCH_RUN=00000000000000ff"]),
      (["-n", "20"], ["--lines=20", "--identifier=nightlatchd"]),
    ] as [([String], [String])])
  func `logs are the journal's`(_ arguments: [String], _ expected: [String]) {
    var tool = Tool(stage.surroundings)
    #expect(tool.run(["logs"] + arguments) == 0)
    #expect(stage.launch?.arguments == ["journalctl"] + expected)
    #expect(stage.launch?.candidates == ["/first/journalctl", "/second/journalctl"])
  }

  @Test func `names are read without the daemon`() throws {
    try stage.folder.write("", to: "config/jobs.d/b.toml")
    try stage.folder.write("", to: "config/jobs.d/a.toml")
    try stage.folder.write("", to: "config/providers.d/work.toml")
    #expect(stage.run("names", "jobs") == 0)
    #expect(stage.run("names", "providers") == 0)
    #expect(stage.output == "a\nb\nwork\n")
  }
}
