/// Finds functions that look like tests and that Swift Testing would silently ignore.
struct TestDeclarations {
  private struct Scope {
    var isSuite = false
    /// Functions without `@Test` that nothing marks as private.
    var open: [Int] = []
  }

  /// Line numbers, from 1.
  private(set) var forgotten: [Int] = []
  private var scopes: [Scope] = [Scope()]
  private var attributes = ""

  init(in file: SourceFile) {
    for (index, line) in file.code.enumerated() { read(line, number: index + 1) }
    while scopes.count > 1 { leaveScope() }
  }

  private mutating func read(_ line: String, number: Int) {
    let opened = line.filter { $0 == "{" }.count
    if let declaration = line.firstMatch(of: /^\s*((?:@\w+(?:\([^)]*\))?\s+|\w+\s+)*)func\s+(`[^`]+`|\w+)/) {
      judge(name: declaration.2, modifiers: attributes + " " + declaration.1, number: number)
      attributes = ""
    } else if opened > 0 || line.firstMatch(of: /^\s*(?:let|var|case|\})/) != nil {
      attributes = ""
    } else {
      attributes += " " + line
    }
    let isSuiteHead = line.firstMatch(of: /@Suite\b/) != nil
    for character in line where character == "{" || character == "}" {
      if character == "{" { scopes.append(Scope(isSuite: isSuiteHead)) } else { leaveScope() }
    }
  }

  private mutating func judge(name: Substring, modifiers: String, number: Int) {
    if modifiers.contains("@Test") {
      scopes[scopes.count - 1].isSuite = true
    } else if name.hasPrefix("test") || name.hasPrefix("`") {
      forgotten.append(number)
    } else if modifiers.firstMatch(of: /\b(?:private|fileprivate|static)\b/) == nil {
      scopes[scopes.count - 1].open.append(number)
    }
  }

  /// Inside a type with tests, a function is a test or private. Free functions are told by their names.
  private mutating func leaveScope() {
    guard scopes.count > 1, let scope = scopes.popLast() else { return }
    if scope.isSuite { forgotten += scope.open }
  }
}
