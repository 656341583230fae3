import FoundationEssentials

/// The working copy that this test was compiled from.
enum SourceTree {
  static let root = #filePath.split(separator: "/").dropLast(3).reduce(into: "") { $0 += "/" + $1 }

  private static let sources = Result { try files(below: "Sources") }
  private static let tests = Result { try files(below: "Tests") }

  /// Every Swift file below `Sources`, in a stable order.
  static func sourceFiles() throws -> [SourceFile] { try sources.get() }

  /// Every Swift file below `Tests`, in a stable order.
  static func testFiles() throws -> [SourceFile] { try tests.get() }

  static func allFiles() throws -> [SourceFile] { try sourceFiles() + testFiles() }

  private static func files(below folder: String) throws -> [SourceFile] {
    let names = try FileManager.default.subpathsOfDirectory(atPath: root + "/" + folder).sorted()
    return try names.filter { $0.hasSuffix(".swift") }
      .map { SourceFile(path: folder + "/" + $0, text: try text(of: folder + "/" + $0)) }
  }

  static func text(of path: String) throws -> String {
    try String(contentsOfFile: root + "/" + path, encoding: .utf8)
  }
}
