import AuthModel
import Configuration
import Foundation
import JobEngine
import Scheduling

private let knownZones: [String: TimeZoneRules] = {
  let berlin = (try? Data(contentsOf: URL(fileURLWithPath: "/usr/share/zoneinfo/Europe/Berlin")))
    .flatMap { try? TimeZoneRules(name: "Europe/Berlin", tzif: [UInt8]($0)) }
  return ["UTC": .utc, "Europe/Berlin": berlin].compactMapValues { $0 }
}()

/// Zones for tests: UTC, and Berlin from the system's database.
var zones: ZoneSource {
  ZoneSource(local: .utc, find: { knownZones[$0] }, names: { Array(knownZones.keys) })
}

/// Parses a job file and prints what was found, each line without its path.
func jobDiagnostics(_ text: String, providers: [String]? = nil) -> [String] {
  printed(JobDefinition.parse(SourceFile(path: "j.toml", text: text), zones: zones, providers: providers))
}

func providerDiagnostics(_ text: String) -> [String] {
  printed(ProviderDefinition.parse(SourceFile(path: "p.toml", text: text)))
}

func settingsDiagnostics(_ text: String) -> [String] {
  printed(DaemonSettings.parse(SourceFile(path: "s.toml", text: text)))
}

private func printed<Value>(_ parsed: Parsed<Value>) -> [String] {
  let lines = parsed.diagnostics.map { String($0.description.drop { $0 != ":" }.dropFirst()) }
  let hasError = parsed.diagnostics.contains { $0.severity == .error }
  // The rule that holds for every file: a value exactly when there is no error.
  return (parsed.value == nil) == hasError ? lines : lines + ["value and errors contradict each other"]
}

/// The repository's `config` folder.
let exampleFolder = URL(fileURLWithPath: #filePath)
  .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  .appendingPathComponent("config")

/// The TOML files of a folder below `config`, by name.
func exampleFiles(_ folder: String) throws -> [SourceFile] {
  let folder = exampleFolder.appendingPathComponent(folder)
  let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
  return try names.filter { $0.hasSuffix(".toml") }.map { name in
    let file = folder.appendingPathComponent(name)
    return SourceFile(path: file.path, bytes: [UInt8](try Data(contentsOf: file)))
  }
}
