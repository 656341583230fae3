/// Which module may import which: the table in ARCHITECTURE.md, the only place where it is written down.
struct ImportTable {
  /// A target's kind decides which further rules hold for it.
  enum Kind: String {
    case pure, shell, product, executable
  }

  struct Row {
    var kind: Kind
    var mayImport: Set<String>
  }

  var rows: [String: Row] = [:]

  /// Reads the lines of the form ``| `Target` | kind | `Module` `Module` | ... |``.
  init(markdown: String) {
    for line in markdown.split(separator: "\n") where line.hasPrefix("| `") {
      let cells = line.split(separator: "|", omittingEmptySubsequences: false).map { String($0) }
      guard cells.count >= 5, let kind = Kind(rawValue: cells[2].filter { $0 != " " }) else { continue }
      let modules = Set(cells[3].matches(of: /`(\w+)`/).map { String($0.1) })
      for name in cells[1].matches(of: /`([\w-]+)`/) {
        rows[String(name.1)] = Row(kind: kind, mayImport: modules)
      }
    }
  }
}

extension SourceFile {
  /// The module and the line of every import.
  var imports: [(module: String, line: Int)] {
    code.indices.compactMap { index in
      guard code[index].contains("import ") else { return nil }
      let pattern =
        /^\s*(?:@\w+\s+)*(?:(?:public|package|internal|fileprivate|private)\s+)?import\s+(?:(?:struct|class|enum|protocol|func|var|let|typealias)\s+)?(\w+)/
      return code[index].firstMatch(of: pattern).map { (String($0.1), index + 1) }
    }
  }
}
