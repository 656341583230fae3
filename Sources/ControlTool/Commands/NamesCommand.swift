import LinuxPlatform

/// `nightlatch names jobs|providers`: for the shell's completion, which must work without the daemon.
enum NamesCommand {
  nonisolated static let command = Command(
    name: "names", group: .hidden, summary: "Print the names of jobs or providers",
    operands: [Operand("jobs|providers", completion: .words(["jobs", "providers"]))],
    action: run)

  static func run(_ invocation: Invocation, _ world: Surroundings) throws(ToolError) -> ExitCode {
    let folders = invocation[0] == "jobs" ? world.folders.jobs : world.folders.providers
    for name in try ConfigurationFiles.names(in: folders) { world.print(name.printable) }
    return .success
  }
}
