/// How a piece of text looks on a terminal that has colours.
nonisolated enum Style: String, Sendable {
  case plain = ""
  case bold = "1"
  case dim = "2"
  case bad = "31"
  case good = "32"
  case warning = "33"
  case active = "36"

  func apply(to text: String, colors: Bool) -> String {
    guard colors, self != .plain, !text.isEmpty else { return text }
    return "\u{1b}[\(rawValue)m\(text)\u{1b}[0m"
  }
}
