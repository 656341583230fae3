/// An option as the command line, the help, the manual page and the completions know it.
nonisolated struct CommandOption: Hashable, Sendable {
  /// The long name without its dashes.
  var name: String
  var letter: Character?
  /// What the option's value is called; nil for a flag.
  var value: String?
  /// One sentence, without its full stop.
  var help: String
  var completion: Completion = .nothing

  init(
    _ name: String, _ letter: Character? = nil, value: String? = nil, help: String,
    completion: Completion = .nothing
  ) {
    self.name = name
    self.letter = letter
    self.value = value
    self.help = help
    self.completion = completion
  }

  /// `-n, --lines N`
  var usage: String {
    let short = letter.map { "-\($0), " } ?? ""
    return short + "--" + name + (value.map { " " + $0 } ?? "")
  }
}

/// What the shell may offer in an argument's place.
nonisolated enum Completion: Hashable, Sendable {
  case nothing, jobs, providers, files, folders, commands
  case words([String])
}

nonisolated extension CommandOption {
  static let config = CommandOption(
    "config", value: "DIR", help: "Folder of the job, provider and daemon settings", completion: .folders)
  static let state = CommandOption(
    "state", value: "DIR", help: "Folder of the ledger and the sealed sessions", completion: .folders)
  static let runtime = CommandOption(
    "runtime", value: "DIR", help: "Folder of the control socket and the auth cache", completion: .folders)
  static let user = CommandOption("user", help: "Your own daemon; the default for everyone but root")
  static let system = CommandOption("system", help: "The system's daemon; root's default")
  static let help = CommandOption("help", "h", help: "Show help and exit")
  static let version = CommandOption("version", help: "Show the version and exit")

  static let json = CommandOption("json", help: "Print JSON for programs instead of a table")
  static let limit = CommandOption("limit", "n", value: "N", help: "Show at most N entries")
  static let wait = CommandOption("wait", "w", help: "Wait for the end and report it")
  static let provider = CommandOption(
    "provider", value: "PROVIDER", help: "Only runs that need this provider", completion: .providers)

  /// Accepted before and after every command.
  static let global = [user, system, config, state, runtime, help, version]
}
