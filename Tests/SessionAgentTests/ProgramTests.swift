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
