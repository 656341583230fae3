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
    for index in file.code.indices { read(file.code[index...], number: index + 1) }
    while scopes.count > 1 { leaveScope() }
  }

  /// Reads the first of the lines; a signature may need the ones after it.
  private mutating func read(_ lines: ArraySlice<String>, number: Int) {
    let line = lines.first ?? ""
    if line.contains("func "),
      let declaration = line.firstMatch(of: /^\s*((?:@\w+(?:\([^)]*\))?\s+|\w+\s+)*)func\s+(`[^`]+`|\w+)/)
    {
      // Swift Testing calls tests with values and takes none back.
      let signature = Self.signature(lines)
      let isHelper = signature.contains("->") || signature.contains("inout ")
      judge(declaration.2, modifiers: attributes + " " + declaration.1, isHelper, number: number)
      attributes = ""
    } else if line.contains("{") || line.firstMatch(of: /^\s*(?:let|var|case|\})/) != nil {
      attributes = ""
    } else {
      attributes += " " + line
    }
    follow(line)
  }

  private mutating func follow(_ line: String) {
    let isSuiteHead = line.contains("@Suite")
    for character in line where character == "{" || character == "}" {
      if character == "{" { scopes.append(Scope(isSuite: isSuiteHead)) } else { leaveScope() }
    }
  }

  /// Up to the opening brace.
  private static func signature(_ lines: ArraySlice<String>) -> String {
    let end = lines.firstIndex { $0.contains("{") } ?? lines.startIndex
    return lines[lines.startIndex...end].joined().prefix { $0 != "{" }.description
  }

  /// Inside a type with tests, a function is a test, or private, or gives something to the tests.
  /// Free functions are told by their names.
  private mutating func judge(
    _ name: Substring, modifiers: String, _ isHelper: Bool, number: Int
  ) {
    if modifiers.contains("@Test") {
      scopes[scopes.count - 1].isSuite = true
    } else if name.hasPrefix("`") || (name.hasPrefix("test") && !isHelper) {
      forgotten.append(number)
    } else if !isHelper, modifiers.firstMatch(of: /\b(?:private|fileprivate|static)\b/) == nil {
      scopes[scopes.count - 1].open.append(number)
    }
  }

  private mutating func leaveScope() {
    guard scopes.count > 1, let scope = scopes.popLast() else { return }
    if scope.isSuite { forgotten += scope.open }
  }
}
