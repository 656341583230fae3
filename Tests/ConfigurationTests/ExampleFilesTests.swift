import AuthModel
import Configuration
import Foundation
import JobEngine
import Scheduling
import Testing

@Test(arguments: ["", "demo/"]) func `the example files have nothing to complain about`(_ folder: String)
  throws
{
  let settings = try exampleFiles(folder)
  let (jobs, providers) = try (exampleFiles("\(folder)jobs.d"), exampleFiles("\(folder)providers.d"))
  #expect(settings.count == 1 && jobs.count >= 3 && providers.count >= 1)
  let loaded = LoadedConfiguration(settings: settings.first, jobs: jobs, providers: providers, zones: zones)
  #expect(loaded.diagnostics == [])
  #expect(loaded.jobs.count == jobs.count)
  #expect(loaded.providers.count == providers.count)
  #expect((settings + jobs + providers).allSatisfy { $0.role != nil })
}

@Test func `the settings shown in comments are the defaults`() throws {
  let url = exampleFolder.appendingPathComponent("nightlatch.toml")
  let lines = try String(contentsOf: url, encoding: .utf8).split(separator: "\n")
  let shown = try Regex(#"^# ([a-z_]+ = .*)$"#)
  let enabled = lines.map { line in
    line.firstMatch(of: shown).flatMap { $0.output[1].substring } ?? line
  }
  #expect(enabled != lines)
  let parsed = DaemonSettings.parse(
    SourceFile(path: "nightlatch.toml", text: enabled.joined(separator: "\n")))
  #expect(parsed.diagnostics == [])
  #expect(parsed.value == DaemonSettings())
}

@Test func `the demo has a job for each row of the gate's table and one provider on this machine`() throws {
  let jobs = try exampleFiles("demo/jobs.d").compactMap { JobDefinition.parse($0, zones: zones).value }
  #expect(Set(jobs.map(\.auth.requires)) == Set(AuthPolicy.Requirement.allCases))
  let providers = try exampleFiles("demo/providers.d").compactMap { ProviderDefinition.parse($0).value }
  #expect(providers.map(\.isLocal) == [true])
}

/// Texts whose only mistake is a key that nothing resembles, for the list of known keys in the message.
private let strangeKeys: [(part: String, text: String)] = [
  ("Jobs", "qqqqqqqqqq = 1\ncommand = ['true']"),
  ("Jobs", "command = ['true']\nschedule.qqqqqqqqqq = 1"),
  ("Jobs", "command = ['true']\nauth.qqqqqqqqqq = 1"),
  ("Jobs", "command = ['true']\nconstraints.qqqqqqqqqq = 1"),
  ("Jobs", "command = ['true']\nlimits.qqqqqqqqqq = 1"),
  ("Jobs", "command = ['true']\nretry.qqqqqqqqqq = 1"),
  ("Providers", "qqqqqqqqqq = 1\nkind = 'oauth2'\nclient_id = 'x'\nendpoints.token = 'https://a.example'"),
  (
    "Providers",
    "kind = 'oauth2'\nclient_id = 'x'\nendpoints = { token = 'https://a.example', qqqqqqqqqq = 1 }"
  ),
  ("The daemon", "qqqqqqqqqq = 1"), ("The daemon", "foreground.qqqqqqqqqq = 1"),
  ("The daemon", "ledger.qqqqqqqqqq = 1"),
]

@Test(arguments: strangeKeys) func `the reference names every key`(_ part: String, _ text: String) throws {
  let url = exampleFolder.appendingPathComponent("README.md")
  let chapters = try String(contentsOf: url, encoding: .utf8).split(separator: "\n## ")
  let chapter = try #require(chapters.first { $0.hasPrefix(part) })
  let printed =
    switch part {
    case "Jobs": jobDiagnostics(text)
    case "Providers": providerDiagnostics(text)
    default: settingsDiagnostics(text)
    }
  let message = try #require(printed.first { $0.contains("qqqqqqqqqq") })
  let list = try #require(message.split(separator: "known here are ").last)
  let keys = list.matches(of: /"([a-z_]+)"/).map { String($0.output.1) }
  #expect(!keys.isEmpty)
  // The refused keys are known so that they can be explained.
  for key in keys where !["client_secret", "client_key"].contains(key) {
    #expect(chapter.contains(try Regex("[`.\\[]\(key)[`.\\]]")), "\(key) is missing in the reference")
  }
}
