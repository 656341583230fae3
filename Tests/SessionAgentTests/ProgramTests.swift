import AuthModel
import Glibc
import Scheduling
import Testing

@testable import SessionAgent

/// `nightlatch-foreground` as its users meet it.
@Suite struct ProgramTests {
  static let usages: [([String], Int32, String)] = [
    (["--help"], 0, "usage: nightlatch-foreground"), ([], 64, "a verb is missing"),
    (["destroy", "work"], 64, "no verb \"destroy\""), (["refresh"], 64, "needs the name of a provider"),
    (["refresh", "work", "--force"], 64, "no option --force"),
    (["refresh", "work", "--newer-than", "x"], 64, "needs a number"),
    (["logout", "work", "--newer-than", "1"], 64, "belongs to refresh"),
    (["refresh", "work", "--browser"], 64, "--browser belongs to login"),
    (["login", "work", "--browser", "--import"], 64, "only one of"),
    (["login", "work", "two"], 64, "one provider"), (["--state"], 64, "--state"),
    (["refresh", "wrok"], 78, "there are work"), (["refresh", "../work"], 78, "cannot find provider"),
    (["publish"], 0, "nobody has logged in"), (["refresh", "work"], 77, "log"),
    (["logout", "work"], 0, "no session"),
  ]

  @Test func `exit codes and messages`() throws {
    let world = try FlowWorld()
    for (arguments, status, message) in Self.usages {
      let (ending, output) = try world.run(arguments)
      #expect(ending == .exited(status), "\(arguments): \(output)")
      #expect(output.contains(message), "\(arguments): \(output)")
    }
  }

  @Test func `doctor looks at everything, spends nothing and changes nothing`() throws {
    let world = try FlowWorld()
    try world.begin()
    let before = (try world.sessionBytes(), world.snapshot)
    let (ending, output) = try world.run(["doctor", "work"])
    // No daemon listens in these folders.
    #expect(ending == .exited(1), "\(output)")
    let lines = output.split(separator: "\n").map(String.init)
    for line in [
      "failed   nightlatch: daemon: ", "ok       work: provider file: type oidc",
      "ok       work: session: alice's, sealed and readable", "ok       work: spends: none is open",
      "ok       work: lock: free",
      "ok       work: discovery: \(world.proxy.url)/.well-known/openid-configuration",
      "ok       work: keys: \(world.proxy.url)/jwks.json", "ok       work: clock: ",
      "ok       work: token endpoint: \(world.proxy.url)/token answers",
    ] { #expect(lines.contains { $0.hasPrefix(line) }, "\(line) in \(output)") }
    #expect(try world.spends() == 0)
    #expect((try world.sessionBytes(), world.snapshot) == before)
    #expect(!output.contains(try world.record().accessToken.text))
  }

  @Test func `doctor names what is wrong, and who is at work`() throws {
    let world = try FlowWorld()
    try world.begin()
    try world.plan(#"{"mode":"status","status":503,"body":""}"#)
    let hold = SignalHold()
    let lock = try SessionLock(
      path: world.file("lock"), provider: world.provider.name, patience: .zero, hold: hold)
    chmod(world.places.keyPath, 0o644)
    try world.folder.write("state/sessions/work.quarantine", "", mode: 0o600)
    let (ending, output) = try world.run(["doctor", "work"])
    withExtendedLifetime(lock) {}
    #expect(ending == .exited(1))
    #expect(output.contains("warning  work: lock: process \(getpid()) is at work"), "\(output)")
    #expect(output.contains("failed   work: key: "), "\(output)")
    #expect(output.contains("warning  work: quarantine: "), "\(output)")
    #expect(output.contains("failed   work: session: "), "\(output)")
    #expect(output.contains("warning  work: token endpoint: "), "\(output)")
    #expect(try world.run(["doctor", "wrok"]).output.contains("failed   wrok: provider file: cannot find"))
  }

  @Test(
    arguments: [
      (nil, nil), (.seconds(5), .warning), (.seconds(19), .warning), (.seconds(20), .ok),
      (.microseconds(Int64.max), .ok),
    ] as [(Duration?, Finding.Level?)])
  func `doctor compares what logind grants with what a request may take`(
    granted: Duration?, level: Finding.Level?
  ) throws {
    let world = try SupplyWorld()
    try world.helper("exit 1")
    let examination = try ProviderExamination(
      world.provider, places: world.places, hold: SignalHold(), longestDelay: granted)
    let finding = examination.findings().first { $0.subject == "shutdown" }
    #expect(finding?.level == level)
    if level == .warning {
      #expect(finding?.detail.contains("InhibitDelayMaxSec=20s") == true)
      #expect(finding?.detail.contains("/etc/systemd/logind.conf.d/") == true)
    }
  }

  @Test func `a folder of providers that can't be listed is not taken for an empty one`() throws {
    let world = try FlowWorld()
    #expect(try world.run(["publish"]).ending == .exited(0))
    rename(world.folder.path + "/config/providers.d", world.folder.path + "/config/away")
    try world.folder.write("config/providers.d", "", mode: 0o600)
    let problem = "cannot list '\(world.folder.path)/config/providers.d': Not a directory"
    for (arguments, status): ([String], Int32) in [
      (["publish"], 78), (["refresh", "work"], 78), (["doctor"], 1),
    ] {
      let (ending, output) = try world.run(arguments)
      #expect(ending == .exited(status), "\(arguments): \(output)")
      #expect(output.contains(problem), "\(arguments): \(output)")
      #expect(!output.contains("there is none"), "\(arguments): \(output)")
    }
  }

  @Test func `the attempts of each phase are kept for people to read, the last ten of them`() throws {
    let world = try FlowWorld()
    try world.begin()
    for _ in 0..<11 { #expect(try world.agent().refresh().status == .success) }
    try world.plan(#"{"mode":"status","status":503,"body":""}"#)
    #expect(try world.agent().refresh().status == .tryLater)
    _ = try world.agent().publish()
    let bytes = try #require(try File.read("\(world.places.attemptsFolder)/work", limit: 1 << 16))
    let history = AttemptHistory(text: String(decoding: bytes, as: UTF8.self))
    #expect(history.entries.map(\.outcome) == Array(repeating: .success, count: 9) + [.transient])
    #expect(history.entries.last?.failures == 1)
    #expect(history.entries.last?.detail == world.snapshot?.lastAttempt?.detail)
  }

  @Test func `a bad provider file stops nobody else`() throws {
    let world = try FlowWorld()
    try world.begin()
    try File.makeFolder(world.folder.path + "/config/providers.d")
    try world.folder.write("config/providers.d/bad.toml", "kind = \"oidc\"\n", mode: 0o600)
    let (ending, output) = try world.run(["publish"])
    #expect(ending == .exited(78))
    #expect(output.contains("bad.toml") && output.contains("client_id"), "\(output)")
    #expect(output.contains("the session of alice is published"), "\(output)")
  }

  @Test func `login shows the page and the code, and the next refresh works`() throws {
    let world = try FlowWorld()
    let agent = try world.start(["login", "work"])
    var shown = ""
    while !shown.contains("Waiting for you") { shown += agent.readLine() + "\n" }
    #expect(shown.contains(world.proxy.url + "/device?user_code="))
    try world.server.post("/test/approve")
    let rest = agent.readAll()
    #expect(agent.wait() == .exited(0), "\(rest)")
    #expect(rest.contains("logged in as Alice Example"))
    #expect(try world.run(["refresh", "work"]).ending == .exited(0))
  }

  @Test func `a login that is given up leaves nothing`() throws {
    let world = try FlowWorld()
    let agent = try world.start(["login", "work"])
    while !agent.readLine().contains("Waiting for you") {}
    kill(agent.pid, SIGINT)
    _ = agent.readAll()
    #expect(agent.wait() == .exited(75))
    #expect(try world.sessionBytes() == nil)
  }

  @Test func `no secret is said, published or logged`() throws {
    let world = try FlowWorld()
    try world.begin()
    var secrets: [String] = []
    var output = ""
    for fault in ["[]", #"{"mode":"drop_after"}"#, #"{"mode":"status","status":400,"body":"{}"}"#] {
      let record = try world.record()
      secrets += [record.accessToken.text, record.refreshToken?.text ?? ""]
      try world.plan(fault)
      output += try world.run(["refresh", "work"]).output
    }
    for name in ["state/sessions/work.session", "state/sessions/work.journal", "run/auth/work"] {
      output += String(decoding: try #require(try world.folder.read(name)), as: UTF8.self)
    }
    for secret in secrets { #expect(!secret.isEmpty && !output.contains(secret)) }
    var status = stat()
    #expect(
      stat(world.places.tokenFile(world.provider.name), &status) == 0 && status.st_mode & 0o777 == 0o600)
  }
}
