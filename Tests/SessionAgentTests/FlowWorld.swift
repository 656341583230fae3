import AuthCache
import AuthModel
import Glibc
import Scheduling

@testable import SessionAgent

/// An identity server, a fault proxy before it, and an agent with folders of its own.
final class FlowWorld {
  let server: TestServer
  let proxy: TestServer
  let folder: TemporaryFolder
  var provider: ProviderDefinition
  let hold = SignalHold()
  /// Lines for the provider file of the program.
  var more = ""
  /// That file, where it is of another kind.
  var providerFile: String?
  private var isWritten = false

  init(_ options: [String] = [], reuseWindow: Duration = .zero, server script: String = "idp.py") throws {
    server = try TestServer(script, options)
    proxy = try TestServer("faultproxy.py", ["--upstream", server.port])
    folder = try TemporaryFolder()
    provider = ProviderDefinition(
      name: ProviderName("work"), kind: .oidc(issuer: proxy.url), clientID: "nightlatch")
    provider.scopes = ["openid", "offline_access"]
    provider.requestTimeout = .seconds(20)
    provider.reuseWindow = reuseWindow
  }

  /// What holds the machine up while a token is on its way.
  var machine = MachineHold.none

  var places: SessionPlaces { SessionPlaces(state: folder.path + "/state", runtime: folder.path + "/run") }

  func agent() throws -> ForegroundAgent {
    try ForegroundAgent(provider: provider, places: places, hold: hold, machine: machine)
  }

  /// Logs in as a person who approves at once.
  @discardableResult
  func login(as user: String = "alice") throws -> AgentReport {
    var failure: (any Error)?
    let report = try agent().login { step in
      guard case .device(let prompt) = step else { return }
      do { try server.post("/test/approve", "user_code=\(prompt.userCode)&user=\(user)") } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return report
  }

  /// Puts a session in the store that the server knows, without the wait of a device flow.
  func begin() throws {
    let answer = try proxy.post("/test/grant", "user=alice&client_id=\(provider.clientID)")
    guard let tokens = TokenAnswer(answer) else { throw TestFailure("no grant") }
    let record = SessionRecord(
      generation: 1, accessToken: tokens.accessToken, refreshToken: tokens.refreshToken,
      obtained: try SystemClock().moment, lifetime: tokens.lifetime, scope: tokens.scope, issuer: proxy.url,
      user: User(id: "alice", name: "Alice Example"))
    try put(record)
    _ = try agent().publish()
    // As a login would have left it.
    let agent = try agent()
    try agent.providerKeys(try agent.metadata(needed: [\.token]))?.prepare(now: agent.clock.now.wall)
  }

  func put(_ record: SessionRecord) throws {
    let store = try agent().store
    try store.replace(StoreEncoding.encode(record), in: try store.reserve())
  }

  func plan(_ faults: String) throws { try proxy.post("/_fault", faults) }

  func settings(_ form: String) throws { try server.post("/test/settings", form) }

  func text(_ path: String) throws -> String { try server.text(path) }

  /// How many refresh grants reached the server.
  func spends() throws -> Int {
    try text("/test/log").components(of: #""grant": "refresh_token""#)
  }

  /// The SHA-256 of each token that was revoked, in order.
  func revoked() throws -> [String] { try server.get("/test/log").strings("revoked") }

  /// What a session's revocation leaves in the server's log.
  func hashes(of record: SessionRecord) -> [String] {
    [record.refreshToken, record.accessToken].compactMap { $0 }.map { TokenHash(of: $0).description }
  }

  /// A refresh token that some other program was given.
  func grantedToken() throws -> String {
    let answer = try proxy.post("/test/grant", "user=alice&client_id=\(provider.clientID)")
    return try answer.string("refresh_token") ?? { throw TestFailure("no grant") }()
  }

  var snapshot: Snapshot? {
    AuthCacheReader(path: places.runtime + "/auth/work", in: BootID("")).read().snapshot
  }

  func state() throws -> AuthState? {
    let clock = try SystemClock()
    return snapshot?.authState(at: clock.now, in: clock.bootID)
  }

  /// Content and modification time of the token file; nil if there is none.
  func tokenFile() throws -> (token: String, obtained: WallTime)? {
    let path = places.tokenFile(provider.name)
    guard let bytes = try File.read(path, limit: 4096, isPrivate: true) else { return nil }
    var status = stat()
    stat(path, &status)
    let microseconds = Int64(status.st_mtim.tv_sec) * 1_000_000 + Int64(status.st_mtim.tv_nsec) / 1_000
    return (String(decoding: bytes, as: UTF8.self), WallTime(microseconds: microseconds))
  }

  func stored() throws -> StoredSession { try agent().store.load() }

  func record() throws -> SessionRecord {
    guard case .present(let record) = try stored() else { throw TestFailure("no session in the store") }
    return record
  }

  /// Makes the access token older than it is.
  func age(by duration: Duration) throws {
    var record = try record()
    record.obtained.boot = record.obtained.boot - duration
    record.obtained.wall = record.obtained.wall - duration
    try put(record)
  }

  func file(_ ending: String) -> String { places.file(provider.name, ending) }

  func sessionBytes() throws -> [UInt8]? { try File.read(file("session"), limit: 1 << 20) }

  // The program itself.

  /// Starts `nightlatch-foreground` on the same folders.
  func start(
    _ arguments: [String], failpoint: Failpoint? = nil, environment: [String] = []
  ) throws -> Child {
    try writeProviderFile()
    let failpoint = failpoint.map { ["NIGHTLATCH_FAILPOINT=\($0.rawValue)"] } ?? []
    return try Child(Self.program, folderOptions + arguments, environment: environment + failpoint)
  }

  func run(
    _ arguments: [String], failpoint: Failpoint? = nil, environment: [String] = []
  ) throws -> (
    ending: Child.Ending, output: String
  ) {
    let child = try start(arguments, failpoint: failpoint, environment: environment)
    child.closeInput()
    let output = child.readAll()
    return (child.wait(), output)
  }

  /// Runs the program at a terminal of its own, and returns all that it has shown.
  func atTerminal(
    columns: Int, _ arguments: [String], eachLine: (String) throws -> Void
  ) throws -> String {
    try writeProviderFile()
    let command = ([Self.program] + folderOptions + arguments).joined(separator: " ")
    let terminal = try Child(
      "script", ["-qec", "stty cols \(columns); exec \(command)", "/dev/null"],
      environment: ["LANG=C.UTF-8", "TERM=xterm"])
    defer { terminal.closeInput() }
    var shown = ""
    while true {
      let line = terminal.readLine()
      shown += line + "\n"
      if line.contains("work:") { break }
      try eachLine(line)
    }
    _ = terminal.wait()
    return shown
  }

  private var folderOptions: [String] {
    [
      "--user", "--config", folder.path + "/config", "--state", places.state, "--runtime", places.runtime,
    ]
  }

  private func writeProviderFile() throws {
    // Only once: a program that is running may be reading it.
    if isWritten { return }
    isWritten = true
    try File.makeFolder(folder.path + "/config/providers.d")
    try folder.write(
      "config/providers.d/work.toml",
      providerFile ?? """
        kind = "oidc"
        issuer = "\(proxy.url)"
        client_id = "\(provider.clientID)"
        scopes = ["openid", "offline_access"]
        reuse_window = "\(provider.reuseWindow.components.seconds)s"
        \(more)
        request_timeout = "\(provider.requestTimeout.components.seconds)s"

        """, mode: 0o600)
  }

  /// Beside the test bundle.
  private static var program: String {
    var buffer = [CChar](repeating: 0, count: 4096)
    let length = readlink("/proc/self/exe", &buffer, buffer.count - 1)
    let path = String(decoding: buffer.prefix(max(0, length)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)]) + "/nightlatch-foreground"
  }
}

extension String {
  /// How often a text occurs.
  func components(of text: String) -> Int { ranges(of: text).count }
}
