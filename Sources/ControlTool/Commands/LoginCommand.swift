/// `nightlatch login [PROVIDER]`
enum LoginCommand {
  nonisolated static let device = CommandOption("device", help: "Show a code to approve on any device")
  nonisolated static let browser = CommandOption("browser", help: "Use a browser on this machine")
  nonisolated static let `import` = CommandOption(
    "import", help: "Take over a refresh token, read from standard input")

  nonisolated static let command = Command(
    name: "login", group: .session, summary: "Log in to a provider",
    operands: [ForegroundAgent.operand], options: [device, browser, `import`],
    discussion: [
      "Starts the login in this terminal and stores the session, sealed. PROVIDER may be left out when there is only one. Without an option a code is shown if the provider knows the device flow, else a browser is used.",
      "An imported token is verified at once, by a refresh: from then on it belongs to Nightlatch, and the program that it came from must not use it any more. It is never taken from the command line, which everybody can see.",
    ],
    exitCodes: ExitCode.agent,
    action: { (invocation, world) throws(ToolError) in
      let methods = [device, browser, `import`].filter { invocation.has($0) }
      guard methods.count <= 1 else {
        throw .usage("only one of --device, --browser and --import can be used at a time", command: "login")
      }
      return try ForegroundAgent.become(invocation, world, methods.map { "--\($0.name)" })
    })
}
