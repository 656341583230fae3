import LinuxPlatform

/// The program that may talk to identity providers; its verbs bear the names of our commands.
enum ForegroundAgent {
  nonisolated static let operand = Operand("PROVIDER", .optional, completion: .providers)

  static func become(
    _ invocation: Invocation, _ world: Surroundings, _ options: [String] = []
  ) throws(ToolError) -> ExitCode {
    let program = "nightlatch-foreground"
    let provider = try ConfigurationFiles.provider(named: invocation[0], for: invocation.command, world)
    let arguments = [program, invocation.command.name, provider] + options + world.folders.options
    return try world.become(
      Surroundings.Launch(candidates: world.candidates(besideFor: program), arguments: arguments))
  }
}
