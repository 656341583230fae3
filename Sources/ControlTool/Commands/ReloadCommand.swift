import ControlProtocol

/// `nightlatch reload`
enum ReloadCommand {
  nonisolated static let command = Command(
    name: "reload", group: .configuration, summary: "Have the daemon read its configuration again",
    options: [.json],
    discussion: [
      "A file that has become bad does not stop the others: its last good definition stays in force. The session of a provider whose file is bad is not refreshed until the file is mended. Nothing is run again or lost."
    ],
    exitCodes: [.success, .failure],
    action: run)

  static func run(_ invocation: Invocation, _ world: Surroundings) throws(ToolError) -> ExitCode {
    let reply = try world.daemon().ask(.reload, for: ReloadReply.self)
    let hasErrors = reply.diagnostics.contains { $0.severity == .error }
    if invocation.has(.json) {
      world.print(json: reply)
    } else {
      for diagnostic in reply.diagnostics { world.print(DiagnosticDisplay.line(diagnostic, world)) }
      let lastGood = hasErrors ? "; what is in a file with an error counts as when it was last good" : ""
      world.print(
        sentence:
          "\(DiagnosticDisplay.count(reply.jobs, "job")) and \(DiagnosticDisplay.count(reply.providers, "provider")) are in force\(lastGood)."
      )
    }
    return hasErrors ? .failure : .success
  }
}
