nonisolated extension LogEntry {
  /// One line for a terminal: the message, and the job it is about. Control characters become dots
  /// (a job's output must not drive the terminal), bytes that are not UTF-8 become U+FFFD.
  func line(color: Bool) -> String {
    let text = Self.printable(String(decoding: message.prefix(Self.longestValue), as: UTF8.self))
    // A message of a known kind names its job itself; a line of output does not.
    let job = messageID == nil ? fields.first { $0.name == "NIGHTLATCH_JOB" }?.value : nil
    let line = (job.map { Self.printable($0) + ": " } ?? "") + text
    guard color, let style = Self.style(of: priority) else { return line + "\n" }
    return "\u{1b}[\(style)m\(line)\u{1b}[0m\n"
  }

  private static func style(of priority: Priority) -> String? {
    switch priority {
    case .error: "31"
    case .warning: "33"
    case .notice: "1"
    case .info: nil
    case .debug: "2"
    }
  }

  static func printable(_ text: String) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.map { scalar in
          let isControl = scalar.value < 32 || (127..<160).contains(scalar.value)
          return isControl && scalar != "\t" ? "." : scalar
        }))
  }
}
