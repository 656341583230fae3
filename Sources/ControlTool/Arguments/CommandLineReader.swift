/// Reads a command line against a table of commands: long options with `--name VALUE` or `--name=VALUE`,
/// short ones alone or together, `--` before operands that begin with a dash.
nonisolated struct CommandLineReader {
  var commands: [Command]

  /// What a command line asks for.
  nonisolated enum Wish {
    case run(Invocation)
    /// Nil: of the tool as a whole.
    case help(Command?)
    case version
    /// Nothing at all was given.
    case overview
  }

  func read(_ arguments: [String]) throws(ToolError) -> Wish {
    var state = State(rest: arguments[...])
    while let argument = state.rest.popFirst() { try take(argument, &state) }
    let command = state.invocation?.command
    if state.values[CommandOption.help.name] != nil { return .help(command) }
    if state.values[CommandOption.version.name] != nil { return .version }
    guard var invocation = state.invocation else { return .overview }
    invocation.values = state.values
    try check(invocation)
    return .run(invocation)
  }

  private struct State {
    var rest: ArraySlice<String>
    var invocation: Invocation?
    var values: [String: [String]] = [:]
    var isAfterDashes = false

    var options: [CommandOption] { CommandOption.global + (invocation?.command.options ?? []) }
  }

  private func take(_ argument: String, _ state: inout State) throws(ToolError) {
    if state.isAfterDashes || !argument.hasPrefix("-") || argument == "-" {
      if state.invocation == nil {
        state.invocation = Invocation(command: try command(named: argument))
      } else {
        state.invocation?.operands.append(argument)
      }
    } else if argument == "--" {
      state.isAfterDashes = true
    } else if argument.hasPrefix("--") {
      try takeLong(argument.dropFirst(2), &state)
    } else {
      try takeShort(argument.dropFirst(), &state)
    }
  }

  private func takeLong(_ text: Substring, _ state: inout State) throws(ToolError) {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts[0])
    guard let option = state.options.first(where: { $0.name == name }) else {
      throw unknown(option: "--" + name, state)
    }
    if parts.count == 2, option.value == nil {
      throw .usage("--\(name) takes no value", command: state.invocation?.command.name)
    }
    try add(option, attached: parts.count == 2 ? String(parts[1]) : nil, &state)
  }

  private func takeShort(_ letters: Substring, _ state: inout State) throws(ToolError) {
    var letters = letters
    while let letter = letters.popFirst() {
      guard let option = state.options.first(where: { $0.letter == letter }) else {
        throw unknown(option: "-\(letter)", state)
      }
      guard option.value != nil else {
        try add(option, attached: nil, &state)
        continue
      }
      try add(option, attached: letters.isEmpty ? nil : String(letters), &state)
      return
    }
  }

  private func add(_ option: CommandOption, attached: String?, _ state: inout State) throws(ToolError) {
    guard let placeholder = option.value else {
      state.values[option.name] = []
      return
    }
    guard let value = attached ?? state.rest.popFirst() else {
      throw .usage(
        "--\(option.name) needs a value: --\(option.name) \(placeholder)",
        command: state.invocation?.command.name)
    }
    state.values[option.name, default: []].append(value)
  }
}

nonisolated extension CommandLineReader {
  func command(named name: String) throws(ToolError) -> Command {
    if let command = commands.first(where: { $0.name == name }) { return command }
    let names = commands.filter { $0.group != .hidden }.map(\.name)
    throw .usage("there is no command \"\(name)\"" + suggestion(for: name, among: names), command: nil)
  }

  private func unknown(option: String, _ state: State) -> ToolError {
    let command = state.invocation?.command
    let name = String(option.drop { $0 == "-" })
    let hint = suggestion(for: name, among: state.options.map(\.name), prefix: "--")
    // `nightlatch --json list`: the option is right, its place is not.
    if command == nil, hint.isEmpty, commands.contains(where: { $0.options.contains { $0.name == name } }) {
      return .usage("\(option) belongs to a command: put it after the command's name", command: nil)
    }
    return .usage("there is no option \(option)" + hint, command: command?.name)
  }

  private func check(_ invocation: Invocation) throws(ToolError) {
    let (command, count) = (invocation.command, invocation.operands.count)
    if count < command.operandCount.lowerBound {
      let missing = command.operands.filter(\.isRequired)[count].name
      throw .usage("\(command.name) needs \(missing): \(command.usage)", command: command.name)
    }
    if count > command.operandCount.upperBound {
      let extra = invocation.operands[command.operandCount.upperBound]
      throw .usage("unexpected argument \"\(extra)\": \(command.usage)", command: command.name)
    }
  }
}
