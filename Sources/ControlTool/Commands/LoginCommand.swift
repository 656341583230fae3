import AuthModel

/// `nightlatch login [PROVIDER]`
enum LoginCommand {
  nonisolated static let command = Command(
    name: "login", group: .session, summary: "Log in to a provider",
    operands: [ForegroundAgent.operand],
    discussion: [
      "Starts the login in this terminal and stores the session, sealed. PROVIDER may be left out when there is only one."
    ],
    action: { (invocation, world) throws(ToolError) in try ForegroundAgent.become(invocation, world) })
}

/// `nightlatch logout [PROVIDER]`
enum LogoutCommand {
  nonisolated static let command = Command(
    name: "logout", group: .session, summary: "End a provider's session and forget its tokens",
    operands: [ForegroundAgent.operand],
    discussion: [
      "Runs that wait for the session stay in the foreground queue until they give up or someone logs in."
    ],
    action: { (invocation, world) throws(ToolError) in try ForegroundAgent.become(invocation, world) })
}

/// `nightlatch refresh [PROVIDER]`
enum RefreshCommand {
  nonisolated static let command = Command(
    name: "refresh", group: .session, summary: "Refresh and verify a session now, in this terminal",
    operands: [ForegroundAgent.operand],
    discussion: [
      "Refreshes without the daemon, one process at a time for each provider, and shows what the server said. nightlatch foreground asks the daemon to do the same."
    ],
    action: { (invocation, world) throws(ToolError) in try ForegroundAgent.become(invocation, world) })
}

/// The program that may talk to identity providers; its verbs bear the names of our commands.
enum ForegroundAgent {
  nonisolated static let operand = Operand("PROVIDER", .optional, completion: .providers)

  static func become(_ invocation: Invocation, _ world: Surroundings) throws(ToolError) -> ExitCode {
    let program = "nightlatch-foreground"
    let provider = try ConfigurationFiles.provider(named: invocation[0], for: invocation.command, world)
    let arguments = [program, invocation.command.name, provider] + world.folderOptions
    return try world.become(
      Surroundings.Launch(candidates: world.candidates(besideFor: program), arguments: arguments))
  }
}
