import LinuxPlatform

/// `nightlatch doctor [PROVIDER]`
enum DoctorCommand {
  nonisolated static let command = Command(
    name: "doctor", group: .configuration, summary: "Look for what could be wrong, without changing anything",
    operands: [Operand("PROVIDER", .optional, completion: .providers)],
    discussion: [
      "Looks at the daemon, its socket, units and folders, and at each provider or one of them: its file, the key and the sealed session, the lock, open spends, the server's discovery document, keys, clock and endpoints. Prints one line for each: ok, warning or failed, and what to do. It sends no token and changes nothing.",
      "To read the sealed sessions it has to run as the user of the daemon.",
    ],
    exitCodes: [.success, .failure, .broken],
    action: run)

  /// Only the agent may open the store and reach the network.
  static func run(_ invocation: Invocation, _ world: Surroundings) throws(ToolError) -> ExitCode {
    let program = "nightlatch-foreground"
    let names = try invocation.operands.map { name throws(ToolError) in
      try ConfigurationFiles.provider(named: name, for: invocation.command, world)
    }
    return try world.become(
      Surroundings.Launch(
        candidates: world.candidates(besideFor: program),
        arguments: [program, "doctor"] + names + world.folders.options))
  }
}
