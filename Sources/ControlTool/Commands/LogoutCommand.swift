/// `nightlatch logout [PROVIDER]`
enum LogoutCommand {
  nonisolated static let command = Command(
    name: "logout", group: .session, summary: "End a provider's session and forget its tokens",
    operands: [ForegroundAgent.operand],
    discussion: [
      "Runs that wait for the session stay in the foreground queue until they give up or someone logs in."
    ],
    exitCodes: ExitCode.agent,
    action: { (invocation, world) throws(ToolError) in try ForegroundAgent.become(invocation, world) })
}
