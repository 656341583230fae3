/// `nightlatch refresh [PROVIDER]`
enum RefreshCommand {
  nonisolated static let command = Command(
    name: "refresh", group: .session, summary: "Refresh and verify a session now, in this terminal",
    operands: [ForegroundAgent.operand],
    discussion: [
      "Refreshes without the daemon, one process at a time for each provider, and shows what the server said. nightlatch foreground asks the daemon to do the same."
    ],
    exitCodes: ExitCode.agent,
    action: { (invocation, world) throws(ToolError) in try ForegroundAgent.become(invocation, world) })
}
