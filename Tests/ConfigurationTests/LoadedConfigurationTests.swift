import AuthModel
import Configuration
import JobEngine
import Scheduling
import Testing

private let goodProvider = """
  kind = "oidc"
  issuer = "https://login.example"
  client_id = "nightlatch"
  scopes = ["openid"]
  """

private let goodJob = """
  command = ["true"]
  auth = { provider = "work", requires = "verified" }
  """

private func load(
  settings: String? = nil, jobs: [String: String] = [:], providers: [String: String] = [:]
) -> LoadedConfiguration {
  let files = { (folder: String, texts: [String: String]) in
    texts.sorted { $0.key < $1.key }.map { SourceFile(path: "\(folder)/\($0.key).toml", text: $0.value) }
  }
  return LoadedConfiguration(
    settings: settings.map { SourceFile(path: "nightlatch.toml", text: $0) },
    jobs: files("jobs.d", jobs), providers: files("providers.d", providers), zones: zones)
}

private func printed(_ loaded: LoadedConfiguration) -> [String] { loaded.diagnostics.map(\.description) }

@Test func `a whole configuration is loaded`() {
  let loaded = load(
    settings: "drain_concurrency = 2", jobs: ["a": goodJob, "b": "shell = 'true'"],
    providers: ["work": goodProvider])
  #expect(printed(loaded) == [])
  #expect(!loaded.hasErrors)
  #expect(loaded.settings?.drainConcurrency == 2)
  #expect(Set(loaded.jobs.keys) == [JobID("a"), JobID("b")])
  #expect(Set(loaded.providers.keys) == [ProviderName("work")])
  #expect(loaded.jobPaths == [JobID("a"): "jobs.d/a.toml", JobID("b"): "jobs.d/b.toml"])
  #expect(loaded.providerPaths == [ProviderName("work"): "providers.d/work.toml"])
}

@Test func `no files at all are the defaults`() {
  let loaded = load()
  #expect(printed(loaded) == [])
  #expect(loaded.settings == DaemonSettings())
}

@Test func `a bad file does not stop the others`() {
  let loaded = load(
    settings: "x", jobs: ["a": "command = 1", "b": "shell = 'true'"],
    providers: ["good": goodProvider, "bad": ""])
  #expect(loaded.settings == nil)
  #expect(Array(loaded.jobs.keys) == [JobID("b")])
  #expect(Array(loaded.providers.keys) == [ProviderName("good")])
  #expect(Set(loaded.jobPaths.keys) == [JobID("a"), JobID("b")])
  #expect(loaded.hasErrors)
  #expect(
    loaded.diagnostics.map(\.path) == [
      "nightlatch.toml", "providers.d/bad.toml", "providers.d/bad.toml", "jobs.d/a.toml",
    ])
}

@Test func `a job may only name a provider that has a file`() {
  let unknown = load(jobs: ["a": goodJob], providers: ["wrk": goodProvider, "private": goodProvider])
  #expect(
    printed(unknown) == [
      #"jobs.d/a.toml:2:21: error: provider is "work", but no file in providers.d has that name; did you mean "wrk"?"#
    ])
  #expect(unknown.jobs.isEmpty)
  let none = load(jobs: ["a": goodJob])
  #expect(
    printed(none) == [
      #"jobs.d/a.toml:2:21: error: provider is "work", but no file in providers.d has that name; there is none"#
    ])
  let far = load(jobs: ["a": goodJob], providers: ["mail": goodProvider, "cloud": goodProvider])
  #expect(
    printed(far) == [
      #"jobs.d/a.toml:2:21: error: provider is "work", but no file in providers.d has that name; there are "cloud" and "mail""#
    ])
}

@Test func `a job whose provider's file is bad is loaded, for the gate holds it back`() {
  let loaded = load(jobs: ["a": goodJob], providers: ["work": "kind = 1"])
  #expect(loaded.diagnostics.allSatisfy { $0.path == "providers.d/work.toml" })
  #expect(loaded.jobs[JobID("a")] != nil)
}

@Test func `an unreadable file is an error of its own`() {
  let loaded = LoadedConfiguration(
    settings: SourceFile(path: "/etc/nightlatch/nightlatch.toml", unreadable: "Permission denied"),
    jobs: [SourceFile(path: "jobs.d/a.toml", unreadable: "Is a directory")], providers: [], zones: zones)
  #expect(
    printed(loaded) == [
      "/etc/nightlatch/nightlatch.toml: error: the file can't be read: Permission denied",
      "jobs.d/a.toml: error: the file can't be read: Is a directory",
    ])
  #expect(loaded.settings == nil)
  #expect(loaded.jobPaths[JobID("a")] == "jobs.d/a.toml")
}

@Test func `two files with one identifier are an error, and the first counts`() {
  let files = [
    SourceFile(path: "one/a.toml", text: "shell = 'one'"),
    SourceFile(path: "two/a.toml", text: "shell = 'two'"),
  ]
  let loaded = LoadedConfiguration(settings: nil, jobs: files, providers: [], zones: zones)
  #expect(
    printed(loaded) == [
      #"two/a.toml: error: one/a.toml already has the identifier "a", so this file is ignored"#
    ])
  #expect(loaded.jobs[JobID("a")]?.command == .shell("one"))
}

@Test(arguments: ["a b", ".hidden", "-x", "ä", "", String(repeating: "x", count: 201), "a\u{1b}"])
func `a file's name must be an identifier`(_ name: String) {
  let file = SourceFile(path: "jobs.d/\(name).toml", text: "shell = 'true'")
  let parsed = JobDefinition.parse(file, zones: zones)
  #expect(parsed.value == nil)
  #expect(parsed.diagnostics.count == 1)
  #expect(parsed.diagnostics.first?.message.contains("identifier") == true)
}

@Test(arguments: ["a", "com.example.mail-sync", "9_x", String(repeating: "x", count: 200)])
func `identifiers in use are accepted`(_ name: String) {
  #expect(SourceFile.isValid(identifier: name))
  #expect(SourceFile(path: "/x.d/\(name).toml", text: "").identifier == name)
}

@Test func `a reload keeps the last good definition of a file that became bad`() throws {
  let before = load(
    settings: "drain_concurrency = 2", jobs: ["a": goodJob, "b": "shell = 'b'", "c": "shell = 'c'"],
    providers: ["work": goodProvider])
  let after = load(
    settings: "drain_concurrency = 0", jobs: ["a": "shell = ''", "b": "shell = 'new'", "d": "x"],
    providers: ["work": "kind = 'oidc'"])
  let kept = after.keepingLastGood(of: before)
  #expect(kept.settings == before.settings)
  #expect(kept.jobs[JobID("a")] == before.jobs[JobID("a")])
  #expect(kept.jobs[JobID("b")]?.command == .shell("new"))
  #expect(kept.jobs[JobID("c")] == nil, "a removed file removes the job")
  #expect(kept.jobs[JobID("d")] == nil)
  let problem = try #require(kept.providers[ProviderName("work")]?.fileProblem)
  #expect(problem.contains("work.toml has mistakes"))
  var good = kept.providers
  good[ProviderName("work")]?.fileProblem = nil
  #expect(good == before.providers)
  #expect(kept.diagnostics == after.diagnostics)
}

@Test func `a folder that can't be listed takes nothing away, and is no job of its own`() throws {
  let before = LoadedConfiguration(
    settings: nil, jobs: [SourceFile(path: "/etc/n/jobs.d/a.toml", text: goodJob)],
    providers: [SourceFile(path: "/etc/n/providers.d/work.toml", text: goodProvider)], zones: zones)
  #expect(before.jobs.count == 1)
  #expect(before.providers.count == 1)
  let reason = "cannot list '/etc/n/jobs.d': Too many open files"
  let after = LoadedConfiguration(
    settings: nil,
    jobs: [
      SourceFile(path: "/usr/lib/n/jobs.d/a.toml", text: "shell = 'vendor'"),
      SourceFile(
        folder: "/etc/n/jobs.d", unlisted: reason, among: ["/etc/n/jobs.d", "/usr/lib/n/jobs.d"]),
    ],
    providers: [SourceFile(folder: "/etc/n/providers.d", unlisted: "no", among: ["/etc/n/providers.d"])],
    zones: zones)
  #expect(after.diagnostics.map(\.message) == ["no", reason])
  #expect(after.jobPaths.values.sorted() == ["/usr/lib/n/jobs.d/a.toml"])
  #expect(after.providerPaths.isEmpty)
  let kept = after.keepingLastGood(of: before)
  #expect(kept.jobs == before.jobs, "the vendor's file was hidden by the one that can't be seen")
  #expect(kept.providers == before.providers)
  #expect(kept.keepingLastGood(of: before).jobs == before.jobs)
  // Somebody names a provider that nobody can see: it may be there.
  let blind = LoadedConfiguration(
    settings: nil,
    jobs: [SourceFile(path: "/etc/n/jobs.d/b.toml", text: "shell = 'b'\n[auth]\nprovider = 'home'\n")],
    providers: [SourceFile(folder: "/etc/n/providers.d", unlisted: "no", among: ["/etc/n/providers.d"])],
    zones: zones)
  #expect(blind.jobs.count == 1)
}

@Test func `a new file is not held back by the one it hides in a folder that can't be listed`() {
  let before = LoadedConfiguration(
    settings: nil,
    jobs: ["a", "b"].map { SourceFile(path: "/usr/lib/n/jobs.d/\($0).toml", text: "shell = 'vendor'") },
    providers: [SourceFile(path: "/usr/lib/n/providers.d/work.toml", text: goodProvider)], zones: zones)
  let provider = SourceFile(path: "/etc/n/providers.d/work.toml", text: goodProvider)
  let after = LoadedConfiguration(
    settings: nil,
    jobs: [
      SourceFile(path: "/etc/n/jobs.d/a.toml", text: "shell = 'mine'"),
      SourceFile(
        folder: "/usr/lib/n/jobs.d", unlisted: "no", among: ["/etc/n/jobs.d", "/usr/lib/n/jobs.d"]),
    ],
    providers: [
      provider,
      SourceFile(
        folder: "/usr/lib/n/providers.d", unlisted: "no",
        among: ["/etc/n/providers.d", "/usr/lib/n/providers.d"]),
    ], zones: zones)
  let kept = after.keepingLastGood(of: before)
  #expect(kept.jobs[JobID("a")]?.command == .shell("mine"))
  #expect(kept.jobPaths[JobID("a")] == "/etc/n/jobs.d/a.toml")
  #expect(kept.jobs[JobID("b")]?.command == .shell("vendor"))
  #expect(kept.providerPaths[ProviderName("work")] == provider.path)
}

private let places: [(path: String, role: SourceFile.Role?)] = [
  ("/etc/nightlatch/nightlatch.toml", .settings), ("jobs.d/a.toml", .job),
  ("/usr/lib/nightlatch/providers.d/a.toml", .provider), ("a.toml", nil), ("", nil),
]

@Test(arguments: places)
func `a file's place tells what it is`(_ path: String, _ role: SourceFile.Role?) {
  #expect(SourceFile(path: path, text: "").role == role)
}

extension LoadedConfiguration {
  fileprivate var hasErrors: Bool { diagnostics.contains { $0.severity == .error } }
}
