import Configuration
import Glibc
import LinuxPlatform
import Testing

@testable import ControlTool
@testable import SessionAgent

/// What `nightlatch check` says of the machine that it runs on.
struct MachineTests {
  let stage = Stage()
  private let job = "command = [\"/bin/true\"]\n[schedule]\ncalendar = \"*:0/5\"\n"
  private let provider =
    "kind = \"oauth2\"\nclient_id = \"x\"\n[endpoints]\ntoken = \"https://id.example/token\"\n"

  private static let needy = """
    command = ["/nowhere/sync"]
    user = "nobody-of-that-name"
    working_directory = "/nowhere"
    [schedule]
    calendar = "daily"

    """

  @Test func `what this machine lacks is a warning, at its place`() throws {
    try stage.folder.write(Self.needy, to: "config/jobs.d/com.example.a.toml")
    #expect(stage.run("check", "--system") == 0)
    let path = "\(stage.folder.path)/config/jobs.d/com.example.a.toml"
    #expect(
      stage.output == """
        \(path):1:11: warning: command: this machine has no program "/nowhere/sync"
        \(path):2:8: warning: user: this machine has no user "nobody-of-that-name", and no run can start
        \(path):3:21: warning: working_directory: this machine has no folder "/nowhere"
        1 good job, 0 good providers, 3 warnings.

        """)
  }

  @Test func `continuous integration can be strict, and leave the machine out`() throws {
    try stage.folder.write(Self.needy, to: "config/jobs.d/com.example.a.toml")
    #expect(stage.run("check", "--strict") == 1)
    #expect(stage.run("check", "--strict", "--files-only") == 0)
    try stage.folder.write(job + "[auth]\nprovider = \"x\"\n", to: "config/jobs.d/com.example.a.toml")
    try stage.folder.write(provider, to: "config/providers.d/x.toml")
    #expect(stage.run("check", "--files-only") == 0)
    #expect(stage.run("check", "--strict", "--files-only") == 1)
  }

  @Test func `a secret is looked at as the agent will`() throws {
    let secret = "\(stage.folder.path)/secret"
    try stage.folder.write(
      provider.replacing("client_id", with: "client_secret_file = \"\(secret)\"\nclient_id"),
      to: "config/providers.d/work.toml")
    let mode: (mode_t?) -> String = { mode in
      let stage = self.stage
      if let mode { chmod(secret, mode) }
      let before = stage.output.utf8.count
      #expect(stage.run("check", "--user") == 0)
      return String(stage.output.utf8.dropFirst(before)) ?? ""
    }
    #expect(mode(nil).contains(":2:22: warning: client_secret_file: this machine has no such file\n"))
    try stage.folder.write("", to: "secret")
    #expect(mode(0o600).contains("client_secret_file: the file is empty\n"))
    try stage.folder.write("s3cret", to: "secret")
    #expect(mode(0o640).contains("client_secret_file: others than its owner may use the file"))
    #expect(!mode(0o600).contains("client_secret_file"))
    #expect(!stage.output.contains(secret), "people put the secret itself there")
  }

  @Test func `what can't be looked at is said to be unseen`() throws {
    let path = "\(stage.folder.path)/loop"
    symlink(path, path)
    let expected = Sighting.hidden("whether it is there can't be seen: Too many levels of symbolic links")
    for machine in [Machine(for: .system), Machine(for: .user)] {
      #expect(machine.look(for: .program("\(path)/program", searchPath: nil, user: nil)) == expected)
      #expect(machine.look(for: .secret("\(path)/secret")) == expected)
      #expect(machine.look(for: .folder(path)) == expected)
      #expect(machine.look(for: .file(path)) == expected)
    }
    try stage.folder.write(
      job.replacing("[schedule]", with: "working_directory = \"\(path)\"\n[schedule]"),
      to: "config/jobs.d/com.example.a.toml")
    #expect(stage.run("check", "--strict") == 0)
    #expect(stage.output.contains(":2:21: note: working_directory: whether it is there can't be seen: "))
    #expect(stage.output.hasSuffix("\n1 good job, 0 good providers, 1 not seen.\n"))
  }

  @Test func `a program is one for the user who runs it, wherever it is looked up`() throws {
    try stage.folder.write("#!/bin/sh\n", to: "program")
    let path = "\(stage.folder.path)/program"
    let machine = Machine(for: .user)
    chmod(path, 0o644)
    #expect(
      machine.look(for: .program(path, searchPath: nil, user: nil))
        == .missing("\"\(path)\" is not executable"))
    chmod(path, 0o700)
    #expect(machine.look(for: .program("program", searchPath: stage.folder.path, user: nil)) == .found)
    #expect(
      machine.look(for: .program("program", searchPath: "/nowhere", user: nil))
        == .missing("this machine has no program \"program\" in /nowhere"))
    #expect(machine.look(for: .program("sh", searchPath: nil, user: nil)) == .found)
    #expect(machine.look(for: .user("root")) == .found)
    #expect(machine.look(for: .user("4000000000")) == .found)
    #expect(
      machine.look(for: .group("nobody-of-that-name"))
        == .missing("this machine has no group \"nobody-of-that-name\""))
    #expect(machine.look(for: .folder(path)) == .missing("\"\(path)\" is no folder"))
    #expect(machine.look(for: .file(stage.folder.path)) == .missing("\"\(stage.folder.path)\" is no file"))
  }

  @Test func `only the system's daemon starts runs as somebody else`() throws {
    let (own, other) = (try #require(Account.current()?.name), geteuid() == 1 ? "bin" : "daemon")
    for mode in [Folders.Mode.system, .user] { #expect(Machine(for: mode).look(for: .runsAs(own)) == .found) }
    #expect(Machine(for: .system).look(for: .runsAs(other)) == .found)
    #expect(
      Machine(for: .user).look(for: .runsAs(other))
        == .missing("only the system's daemon can start runs as \"\(other)\", not your own"))
  }

  @Test func `a credential is found in a store, and may come from elsewhere`() throws {
    try stage.folder.write("x", to: "store.encrypted/key")
    let stores = ["store", "store.encrypted"].map { "\(stage.folder.path)/\($0)" }
    let machine = Machine(for: .system, credentialStores: stores)
    #expect(machine.look(for: .credential("key")) == .found)
    guard case .hidden(let reason) = machine.look(for: .credential("other")) else {
      Issue.record("it may be handed over all the same")
      return
    }
    #expect(reason.hasPrefix("no credential store has one of that name"))
  }

  @Test(
    .enabled(if: geteuid() == 0, "needs root, to give a file away"),
    arguments: [
      (Folders.Mode.system, "root has to own it"), (.user, "you or root have to own it"),
    ])
  func `a secret that belongs to somebody else will be refused`(mode: Folders.Mode, advice: String) throws {
    let secret = "\(stage.folder.path)/secret"
    try stage.folder.write("s3cret", to: "secret")
    #expect(chmod(secret, 0o600) == 0 && chown(secret, 65534, 65534) == 0)
    #expect(
      Machine(for: mode).look(for: .secret(secret))
        == .missing("the file belongs to user number 65534, so it will be refused; \(advice)"))
  }

  @Test func `whose secret it is depends on whose daemon it is`() throws {
    let secret = "\(stage.folder.path)/secret"
    try stage.folder.write("s3cret", to: "secret")
    chmod(secret, 0o600)
    #expect(Machine(for: .user).look(for: .secret(secret)) == .found)
    #expect((Machine(for: .system).look(for: .secret(secret)) == .found) == (geteuid() == 0))
  }

  /// The rule is written down twice: the tool does not contain the agent.
  @Test(
    arguments: [0o600, 0o400, 0o700, 0o610, 0o620, 0o640, 0o601, 0o602, 0o604, 0o1600] as [mode_t],
    geteuid() == 0 ? [0, 65534] : [geteuid()])
  func `a secret is good here exactly if the agent reads it`(mode: mode_t, owner: uid_t) throws {
    let secret = "\(stage.folder.path)/secret"
    try stage.folder.write("s3cret", to: "secret")
    #expect(chown(secret, owner, gid_t.max) == 0 && chmod(secret, mode) == 0)
    symlink("secret", secret + ".link")
    for path in [secret, secret + ".link", stage.folder.path, "/dev/null", secret + ".gone"] {
      let content = (try? File.read(path, limit: 1 << 10, isPrivate: true)) ?? nil
      #expect((Machine(for: .user).look(for: .secret(path)) == .found) == (content != nil), "\(path)")
    }
  }
}
