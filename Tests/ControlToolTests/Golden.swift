import FoundationEssentials
import Glibc
import Testing

/// Compares text with a reviewed file of the project. `NIGHTLATCH_RECORD=1 swift test` writes the files
/// anew; the diff is then what is to be reviewed.
nonisolated enum Golden {
  static func expect(
    _ text: String, equals file: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    let url = URL(filePath: "/\(root)/\(file)")
    if getenv("NIGHTLATCH_RECORD") != nil {
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: url)
    }
    let expected = String(decoding: try Data(contentsOf: url), as: UTF8.self)
    let (found, wanted) = (
      text.split(separator: "\n", omittingEmptySubsequences: false),
      expected.split(separator: "\n", omittingEmptySubsequences: false)
    )
    let difference = zip(found, wanted).enumerated().first { $0.element.0 != $0.element.1 }
    #expect(
      text == expected,
      "\(file) line \(difference.map { $0.offset + 1 } ?? min(found.count, wanted.count)): \(difference.map { "\($0.element.0)" } ?? "the lengths differ"); review and record with NIGHTLATCH_RECORD=1",
      sourceLocation: sourceLocation)
  }
}
