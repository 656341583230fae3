import AuthModel
import Configuration
import JobEngine
import Scheduling

extension Harness {
  static let configuration = [jobFile, providerFile, settingsFile]

  private static var zones: ZoneSource {
    ZoneSource(local: .utc, find: { $0 == "Etc/UTC" ? .utc : nil }, names: { ["Etc/UTC"] })
  }

  private static let jobFile = Harness("job-file") { bytes in
    let file = SourceFile(path: "jobs.d/com.example.fuzzed.toml", bytes: bytes)
    try expectCoherence(of: JobDefinition.parse(file, zones: zones, providers: ["work"]), bytes)
  }

  private static let providerFile = Harness("provider-file") { bytes in
    try expectCoherence(
      of: ProviderDefinition.parse(SourceFile(path: "providers.d/work.toml", bytes: bytes)), bytes)
  }

  private static let settingsFile = Harness("settings-file") { bytes in
    try expectCoherence(of: DaemonSettings.parse(SourceFile(path: "nightlatch.toml", bytes: bytes)), bytes)
  }

  /// A value exactly when there is no error; every message at a place of the file, in order, on one line.
  private static func expectCoherence<Value>(of parsed: Parsed<Value>, _ bytes: [UInt8]) throws {
    let hasError = parsed.diagnostics.contains { $0.severity == .error }
    try expect(parsed.value == nil, equals: hasError, "a value, or an error")
    let lines = bytes.count { $0 == UInt8(ascii: "\n") } + 1
    for diagnostic in parsed.diagnostics {
      let position = diagnostic.position ?? SourcePosition(line: 1, column: 1)
      try expect(1...lines + 1 ~= position.line && position.column >= 1, "a place in the file: \(diagnostic)")
      let isPlain = diagnostic.message.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7f }
      try expect(isPlain, "a message on one line: \(diagnostic)")
    }
    let positions = parsed.diagnostics.compactMap(\.position)
    try expect(positions, equals: positions.sorted(), "in the order of the file")
  }
}
