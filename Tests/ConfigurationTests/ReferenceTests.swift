import AuthModel
import Configuration
import JobEngine
import Testing

private let job = """
  command = ["sync", "-a"]
  user = "alice"
  working_directory = "/srv"
  environment = { PATH = "/opt/bin" }
  """

private let provider = """
  kind = "oidc"
  issuer = "https://id.example"
  client_id = "x"
  scopes = ["openid"]
  client_auth = "client_secret_post"
  client_secret_file = "/etc/secret"
  allow_users = ["alice", "1000"]
  allow_groups = ["staff"]
  [tls]
  ca_file = "/etc/ca.pem"
  certificate = "/etc/client.pem"
  key_credential = "client-key"
  [hooks]
  session_lost = ["/usr/bin/tell"]
  """

/// What was looked for in a file, and what was then said of it.
private func looked(
  _ read: (SourceFile, @escaping Lookout) -> (diagnostics: [Diagnostic], isGood: Bool), _ text: String,
  _ sighting: Sighting
) -> (references: Set<Reference>, diagnostics: [Diagnostic], isGood: Bool) {
  var references: Set<Reference> = []
  let read = read(SourceFile(path: "x.toml", text: text)) {
    references.insert($0)
    return sighting
  }
  return (references, read.diagnostics, read.isGood)
}

private func readJob(_ file: SourceFile, _ lookout: @escaping Lookout) -> ([Diagnostic], Bool) {
  let parsed = JobDefinition.parse(file, zones: zones, lookout: lookout)
  return (parsed.diagnostics, parsed.value != nil)
}

private func readProvider(_ file: SourceFile, _ lookout: @escaping Lookout) -> ([Diagnostic], Bool) {
  let parsed = ProviderDefinition.parse(file, lookout: lookout)
  return (parsed.diagnostics, parsed.value != nil)
}

@Test func `everything that a file names is looked for, and its absence is a warning at its place`() {
  let job = looked(readJob, job, .missing("it is gone"))
  #expect(
    job.references == [
      .program("sync", searchPath: "/opt/bin", user: "alice"), .runsAs("alice"), .folder("/srv"),
    ])
  #expect(job.isGood)
  #expect(
    job.diagnostics.map(\.description) == [
      "x.toml:1:11: warning: command: it is gone", "x.toml:2:8: warning: user: it is gone",
      "x.toml:3:21: warning: working_directory: it is gone",
    ])
  let provider = looked(readProvider, provider, .hidden("who knows"))
  #expect(
    provider.references == [
      .secret("/etc/secret"), .user("alice"), .user("1000"), .group("staff"), .file("/etc/ca.pem"),
      .file("/etc/client.pem"), .credential("client-key"),
      .program("/usr/bin/tell", searchPath: nil, user: nil),
    ])
  #expect(provider.isGood && provider.diagnostics.allSatisfy { $0.severity == .note })
  #expect(provider.diagnostics.count == 8)
}

@Test(arguments: [
  (Sighting.hidden("who knows"), Diagnostic.Severity.note), (.missing("it is gone"), .warning),
])
func `the many that are not shown are as bad as the worst of them`(
  sighting: Sighting, severity: Diagnostic.Severity
) {
  let names = (0..<150).map { "\"user-\($0)\"" }.joined(separator: ", ")
  let many = provider.replacing(#"["alice", "1000"]"#, with: "[\(names)]")
  let diagnostics = looked(readProvider, many, sighting).diagnostics
  #expect(diagnostics.count == 101)
  #expect(diagnostics.last?.message == "from here on there are 56 more of these, which are not shown")
  #expect(diagnostics.allSatisfy { $0.severity == severity })
}

@Test func `what supplies tokens is looked for too, and so are the daemon's hooks`() {
  let helper = looked(readProvider, "kind = \"command\"\ncommand = [\"/bin/helper\", \"x\"]\n", .found)
  #expect(helper.references == [.program("/bin/helper", searchPath: nil, user: nil)])
  let file = looked(readProvider, "kind = \"static\"\ntoken_file = \"/run/token\"\n", .found)
  #expect(file.references == [.file("/run/token")] && file.diagnostics.isEmpty)
  let settings = looked(
    { file, lookout in
      let parsed = DaemonSettings.parse(file, lookout: lookout)
      return (parsed.diagnostics, parsed.value != nil)
    }, "[hooks]\nlogin_required = [\"tell\"]\n", .found)
  #expect(settings.references == [.program("tell", searchPath: nil, user: nil)] && settings.isGood)
}
