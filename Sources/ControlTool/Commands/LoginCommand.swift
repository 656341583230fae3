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
