import AuthModel
import Configuration
import JobEngine
import LinuxPlatform
import Testing

@testable import NightlatchDaemon

@Suite struct ConfigurationFilesTests {
  let stage: Stage
  let good = "command = ['/bin/true']\n"

  init() throws { stage = try Stage() }

  @Test func `no files are no jobs, and no mistake`() {
    let files = ConfigurationFiles(folders: stage.folders)
    #expect(files.definitions == Definitions())
    #expect(files.problems.isEmpty)
  }

  @Test func `a bad file stops no other and says where it is wrong`() throws {
    try stage.job(.sync, good)
    try stage.job(JobID("bad"), "comand = 'x'\n")
    let files = ConfigurationFiles(folders: stage.folders)
    #expect(Array(files.definitions.jobs.keys) == [.sync])
    #expect(Array(files.badJobs.keys) == [JobID("bad")])
    let path = "\(stage.path)/config/jobs.d/bad.toml"
    #expect(files.problem(of: path)?.hasPrefix("\(path):1:1: ") == true)
    let entry = try #require(files.problems.first)
    #expect(entry.priority == .error)
    #expect(entry["NIGHTLATCH_FILE"] == path)
    #expect(entry.messageID == MessageID.configurationProblem.rawValue)
    #expect(String(decoding: entry.message, as: UTF8.self).hasSuffix("; it is not used"))
  }

  @Test func `a file that became bad keeps its last good definition, for as long as it is bad`() throws {
    try stage.job(.sync, good)
    var files = ConfigurationFiles(folders: stage.folders)
    for text in ["command = [", "command = 7\n"] {
      try stage.job(.sync, text)
      files = ConfigurationFiles(folders: stage.folders, previous: files)
      #expect(files.definitions.jobs[.sync]?.command == .arguments(["/bin/true"]))
      #expect(Array(files.badJobs.keys) == [.sync])
      let message = files.problems.first.map { String(decoding: $0.message, as: UTF8.self) }
      #expect(message?.hasSuffix("; the last good definition stays in use") == true)
    }
    try stage.job(.sync, "command = ['/bin/false']\n")
    files = ConfigurationFiles(folders: stage.folders, previous: files)
    #expect(files.definitions.jobs[.sync]?.command == .arguments(["/bin/false"]))
    #expect(files.badJobs.isEmpty)
  }

  @Test func `a file that went away is no file that became bad`() throws {
    try stage.job(.sync, good)
    let files = ConfigurationFiles(folders: stage.folders)
    stage.remove("config/jobs.d/com.example.sync.toml")
    #expect(ConfigurationFiles(folders: stage.folders, previous: files).definitions.jobs.isEmpty)
  }

  @Test func `a folder that can't be listed keeps what was in it, and is no job`() throws {
    try stage.job(.sync, good)
    let before = ConfigurationFiles(folders: stage.folders)
    try stage.move("config/jobs.d", to: "config/away")
    // A file in its place stands for whatever keeps us from listing it.
    try stage.write("config/jobs.d", "")
    let message =
      "\(stage.path)/config/jobs.d: error: cannot list '\(stage.path)/config/jobs.d': Not a directory; "
    let after = ConfigurationFiles(folders: stage.folders, previous: before)
    #expect(after.definitions.jobs == before.definitions.jobs)
    #expect(
      after.problems.map { String(decoding: $0.message, as: UTF8.self) }
        == [message + "the last good definition stays in use"])
    let fresh = ConfigurationFiles(folders: stage.folders)
    #expect(fresh.definitions.jobs.isEmpty)
    #expect(fresh.badJobs.isEmpty)
    #expect(
      fresh.problems.map { String(decoding: $0.message, as: UTF8.self) } == [message + "it is not used"])
    stage.remove("config/jobs.d")
    #expect(ConfigurationFiles(folders: stage.folders, previous: after).definitions.jobs.isEmpty)
  }

  @Test func `settings and providers that became bad keep their last good values`() throws {
    try stage.provider()
    try stage.write("config/nightlatch.toml", "drain_concurrency = 9\n")
    let files = ConfigurationFiles(folders: stage.folders)
    #expect(files.definitions.settings.drainConcurrency == 9)
    try stage.write("config/nightlatch.toml", "drain_concurrency = 'many'\n")
    try stage.write("config/providers.d/work.toml", "kind = 'oidc'\nissuer = 'https://login.example'\n")
    let next = ConfigurationFiles(folders: stage.folders, previous: files)
    #expect(next.definitions.settings.drainConcurrency == 9)
    #expect(next.definitions.providers[.work]?.clientID == "x")
    let errors = next.problems.filter { $0.priority == .error }.map {
      String(decoding: $0.message, as: UTF8.self)
    }
    #expect(errors.count == 2)
    #expect(errors.allSatisfy { $0.hasSuffix("; the last good definition stays in use") })
  }

  @Test func `without a good file before, bad settings are the defaults`() throws {
    try stage.write("config/nightlatch.toml", "drain_concurrency = [\n")
    #expect(ConfigurationFiles(folders: stage.folders).definitions.settings == DaemonSettings())
  }

  @Test func `a file that can't be read is told like one that can't be understood`() {
    stage.link("config/jobs.d/loop.toml", to: "loop.toml")
    let files = ConfigurationFiles(folders: stage.folders)
    #expect(Array(files.badJobs.keys) == [JobID("loop")])
  }
}
