/// Blanks comments and string contents, line by line, so that rules about code see only code.
struct CommentStripper {
  private enum Region {
    case code
    /// Between `/*` and `*/`; Swift nests them.
    case comment(depth: Int)
    /// Between `"""` and `"""`.
    case text
  }

  private var region = Region.code

  mutating func strip(_ line: String) -> String {
    if case .code = region,
      !line.utf8.contains(where: { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "/") })
    {
      return line
    }
    var rest = Substring(line)
    var kept = ""
    while !rest.isEmpty {
      switch region {
      case .code: kept += takeCode(from: &rest)
      case .comment(let depth): skipComment(depth: depth, in: &rest)
      case .text: skipText(in: &rest)
      }
    }
    return kept
  }

  /// Takes code up to the next thing that is not code, and enters that.
  private mutating func takeCode(from rest: inout Substring) -> String {
    var kept = ""
    while let character = rest.first {
      if rest.hasPrefix("//") {
        rest = ""
      } else if rest.hasPrefix("/*") {
        rest.removeFirst(2)
        region = .comment(depth: 1)
        return kept
      } else if rest.hasPrefix("\"\"\"") {
        rest.removeFirst(3)
        region = .text
        return kept + "\"\""
      } else if character == "\"" {
        Self.skipString(in: &rest, hashes: kept.reversed().prefix { $0 == "#" }.count)
        kept += "\"\""
      } else {
        kept.append(rest.removeFirst())
      }
    }
    return kept
  }

  private mutating func skipComment(depth: Int, in rest: inout Substring) {
    if rest.hasPrefix("*/") {
      rest.removeFirst(2)
      region = depth == 1 ? .code : .comment(depth: depth - 1)
    } else if rest.hasPrefix("/*") {
      rest.removeFirst(2)
      region = .comment(depth: depth + 1)
    } else {
      rest.removeFirst()
    }
  }

  private mutating func skipText(in rest: inout Substring) {
    if rest.hasPrefix("\"\"\"") {
      rest.removeFirst(3)
      region = .code
    } else {
      rest.removeFirst(rest.hasPrefix("\\") ? min(2, rest.count) : 1)
    }
  }

  /// Skips from the opening quotation mark to behind the closing one; interpolations are skipped with it.
  private static func skipString(in rest: inout Substring, hashes: Int) {
    rest.removeFirst()
    let end = "\"" + String(repeating: "#", count: hashes)
    var parentheses = 0
    while !rest.isEmpty {
      if hashes == 0, rest.hasPrefix("\\(") {
        parentheses += 1
        rest.removeFirst(2)
      } else if parentheses > 0 {
        skipInterpolation(in: &rest, parentheses: &parentheses)
      } else if hashes == 0, rest.hasPrefix("\\") {
        rest.removeFirst(min(2, rest.count))
      } else if rest.hasPrefix(end) {
        rest.removeFirst(end.count)
        return
      } else {
        rest.removeFirst()
      }
    }
  }

  private static func skipInterpolation(in rest: inout Substring, parentheses: inout Int) {
    switch rest.first {
    case "(": parentheses += 1
    case ")": parentheses -= 1
    case "\"":
      skipString(in: &rest, hashes: 0)
      return
    default: break
    }
    rest.removeFirst()
  }
}
