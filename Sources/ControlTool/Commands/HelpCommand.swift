import LinuxPlatform

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

/// `nightlatch names jobs|providers`: for the shell's completion, which must work without the daemon.
enum NamesCommand {
  nonisolated static let command = Command(
    name: "names", group: .hidden, summary: "Print the names of jobs or providers",
    operands: [Operand("jobs|providers", completion: .words(["jobs", "providers"]))],
    action: run)

  static func run(_ invocation: Invocation, _ world: Surroundings) throws(ToolError) -> ExitCode {
    let folders = invocation[0] == "jobs" ? world.folders.jobs : world.folders.providers
    for name in ConfigurationFiles.names(in: folders) { world.print(name.printable) }
    return .success
  }
}
