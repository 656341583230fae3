import FoundationEssentials

/// The working copy that this test was compiled from.
enum SourceTree {
  static let root = #filePath.split(separator: "/").dropLast(3).reduce(into: "") { $0 += "/" + $1 }

  /// Every Swift file below `folder`, in a stable order.
  static func swiftFiles(below folder: String) throws -> [SourceFile] {
    let base = root + "/" + folder
    let names = try FileManager.default.subpathsOfDirectory(atPath: base).sorted()
    return try names.filter { $0.hasSuffix(".swift") }
      .map { try SourceFile(path: folder + "/" + $0) }
  }

  /// The names of the folders directly in `folder`.
  static func folders(in folder: String) throws -> [String] {
    let names = try FileManager.default.contentsOfDirectory(atPath: root + "/" + folder).sorted()
    return names.filter { name in
      var isFolder = false
      return FileManager.default.fileExists(atPath: root + "/" + folder + "/" + name, isDirectory: &isFolder)
        && isFolder
    }
  }

  static func text(of path: String) throws -> String {
    try String(contentsOfFile: root + "/" + path, encoding: .utf8)
  }
}

/// One Swift file, as text and with everything but code blanked out.
struct SourceFile: CustomStringConvertible {
  /// From the root of the working copy.
  var path: String
  var lines: [String]
  /// The same lines without comments and without what stands between quotation marks.
  var code: [String]

  init(path: String) throws {
    let text = try SourceTree.text(of: path)
    self.init(path: path, text: text)
  }

  init(path: String, text: String) {
    self.path = path
    var all = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    if all.last == "" { all.removeLast() }
    lines = all
    var stripper = CommentStripper()
    code = all.map { stripper.strip($0) }
  }

  var description: String { path }

  /// The folder below `Sources` or `Tests`.
  var target: String { path.split(separator: "/").dropFirst().first.map(String.init) ?? "" }

  /// `path:line` for each line of code that the pattern is in.
  func places(of pattern: some RegexComponent) -> [String] {
    code.indices.filter { code[$0].firstMatch(of: pattern) != nil }
      .map { "\(path):\($0 + 1): \(lines[$0].drop { $0 == " " })" }
  }
}
