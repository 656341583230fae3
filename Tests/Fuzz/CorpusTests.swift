import Foundation
import Testing

/// The inputs that are kept: seeds, and everything that ever made a harness fail.
@Suite struct CorpusTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("Corpus")

  private func inputs(of harness: Harness) throws -> [URL] {
    try FileManager.default.contentsOfDirectory(
      at: Self.folder.appendingPathComponent(harness.name), includingPropertiesForKeys: nil)
  }

  @Test(arguments: Harness.all) func `every input that is kept holds together`(_ harness: Harness) throws {
    let inputs = try inputs(of: harness)
    #expect(!inputs.isEmpty)
    for input in inputs {
      let bytes = [UInt8](try Data(contentsOf: input))
      #expect(throws: Never.self, "\(harness.name)/\(input.lastPathComponent)") { try harness.check(bytes) }
    }
  }

  @Test(arguments: Harness.all) func `nothing and noise hold together`(_ harness: Harness) throws {
    for bytes in [[], [0], [0xff], Array(0...255), Array(repeating: 0, count: 8192)] as [[UInt8]] {
      try harness.check(bytes)
    }
  }

  @Test func `every harness has a corpus and every corpus a harness`() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
    #expect(names.sorted() == Harness.all.map(\.name).sorted())
  }
}
