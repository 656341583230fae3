nonisolated extension String {
  /// The text without anything that a terminal would obey: names, descriptions and reasons come from
  /// files and servers. Control characters become `�`, ends of line become blanks.
  var printable: String {
    guard unicodeScalars.contains(where: { $0.isObeyed }) else { return self }
    var text = String.UnicodeScalarView()
    for scalar in unicodeScalars {
      text.append(scalar == "\n" || scalar == "\t" ? " " : scalar.isObeyed ? "\u{fffd}" : scalar)
    }
    return String(text)
  }

  /// How many columns the text takes on a terminal.
  var columns: Int {
    reduce(0) { $0 + $1.columns }
  }

  /// At most so many columns, with `…` in the place of what is cut off.
  func fitted(to width: Int) -> String {
    guard columns > width else { return self }
    guard width > 0 else { return "" }
    var (text, used) = ("", 0)
    for character in self {
      guard used + character.columns < width else { break }
      text.append(character)
      used += character.columns
    }
    return text + "…"
  }

  /// At most so many columns of its end, with `…` in the place of what is cut off: names in reverse-DNS
  /// style differ at their ends.
  func endFitted(to width: Int) -> String {
    guard columns > width else { return self }
    guard width > 0 else { return "" }
    var (rest, used) = (self[...], columns)
    while used >= width, let first = rest.popFirst() { used -= first.columns }
    return "…" + rest
  }

  /// Lines of at most so many columns, broken at blanks; nil: the text as it is. A word that is wider stays whole: it
  /// may be a path that somebody copies.
  func wrapped(to width: Int?) -> [String] {
    guard let width, width > 0, columns > width else { return [self] }
    var lines: [String] = []
    for word in split(separator: " ").map(String.init) {
      if let line = lines.last, line.columns + 1 + word.columns <= width {
        lines[lines.count - 1] += " " + word
      } else {
        lines.append(word)
      }
    }
    return lines
  }

  /// Blanks after the text, or before it, up to a width.
  func padded(to width: Int, right: Bool = false) -> String {
    let blanks = String(repeating: " ", count: Swift.max(0, width - columns))
    return right ? blanks + self : self + blanks
  }
}

nonisolated extension Character {
  /// Two columns for what East Asian Width (UAX #11) calls wide, and for emoji; one for the rest.
  fileprivate var columns: Int {
    guard let scalar = unicodeScalars.first else { return 0 }
    switch scalar.value {
    case 0..<0x300: return 1
    case 0x1100...0x115f, 0x2e80...0x303e, 0x3041...0xa4cf, 0xac00...0xd7a3, 0xf900...0xfaff,
      0xfe30...0xfe6f, 0xff00...0xff60, 0xffe0...0xffe6, 0x1f300...0x1faff, 0x20000...0x3fffd:
      return 2
    default: return scalar.properties.generalCategory == .nonspacingMark ? 0 : 1
    }
  }
}

nonisolated extension Unicode.Scalar {
  /// Whether a terminal acts on it instead of showing it, or it reorders the text around it.
  fileprivate var isObeyed: Bool {
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator, .surrogate: true
    case .format: value != 0x200d && value != 0xad
    default: false
    }
  }
}
