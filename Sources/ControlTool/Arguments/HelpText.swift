/// What `--help` prints: made from the table of commands alone.
nonisolated enum HelpText {
  static let summary = "background jobs that wait for a verified session"
  private static let width = 80

  /// Of the tool as a whole.
  static func overview(_ commands: [Command]) -> String {
    var lines = ["nightlatch - \(summary)", "", "Usage: nightlatch [OPTION...] COMMAND [ARGUMENT...]"]
    let column = (commands.filter { $0.group != .hidden }.map(\.name.count).max() ?? 0) + 4
    for group in Command.Group.allCases where group != .hidden {
      lines += ["", "\(group.rawValue):"]
      for command in commands where command.group == group {
        lines += entry(command.name, command.summary, column: column)
      }
    }
    lines += ["", "Options:"] + options(CommandOption.global)
    lines += ["", "nightlatch COMMAND --help explains a command; nightlatch(1) is the whole manual."]
    return text(lines)
  }

  /// Of one command.
  static func of(_ command: Command) -> String {
    var lines = [
      "nightlatch \(command.name) - \(lowercased(command.summary))", "", "Usage: \(command.usage)",
    ]
    for paragraph in command.discussion { lines += [""] + wrapped(paragraph, indent: 0) }
    if !command.options.isEmpty { lines += ["", "Options:"] + options(command.options) }
    if !command.exitCodes.isEmpty {
      lines += ["", "Exit status:"]
      for code in command.exitCodes { lines += entry("\(code.rawValue)", code.meaning, column: 6) }
    }
    lines += ["", "Options of every command: nightlatch --help"]
    return text(lines)
  }

  private static func options(_ options: [CommandOption]) -> [String] {
    let column = (options.map(\.usage.count).max() ?? 0) + 4
    return options.flatMap { entry($0.usage, $0.help, column: column) }
  }

  /// `  name    What it is.`, its further lines below the first one's text.
  private static func entry(_ name: String, _ explanation: String, column: Int) -> [String] {
    var lines = wrapped(explanation, indent: column)
    lines[0] = ("  " + name).padded(to: column) + lines[0].dropFirst(column)
    return lines
  }

  private static func wrapped(_ paragraph: String, indent: Int) -> [String] {
    paragraph.wrapped(to: width - indent).map { String(repeating: " ", count: indent) + $0 }
  }

  private static func text(_ lines: [String]) -> String { lines.map { $0 + "\n" }.joined() }
}

/// The sentence with its first letter small, unless it begins with a name.
nonisolated func lowercased(_ sentence: String) -> String {
  sentence.prefix(1).lowercased() + sentence.dropFirst()
}
