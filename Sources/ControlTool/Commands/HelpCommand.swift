/// `nightlatch help [COMMAND]`
enum HelpCommand {
  nonisolated static let command = Command(
    name: "help", group: .configuration, summary: "Explain a command, or list them all",
    operands: [Operand("COMMAND", .optional, completion: .commands)],
    action: run)

  static func run(_ invocation: Invocation, _ world: Surroundings) throws(ToolError) -> ExitCode {
    let reader = CommandLineReader(commands: CommandTable.commands)
    guard let name = invocation[0] else {
      world.write(HelpText.overview(reader.commands))
      return .success
    }
    world.write(HelpText.of(try reader.command(named: name)))
    return .success
  }
}
