import ControlProtocol
import JobEngine

/// `nightlatch pause JOB...`
enum PauseCommand {
  nonisolated static let command = Command(
    name: "pause", group: .steer, summary: "Stop jobs from coming due",
    operands: [Operand("JOB", .some, completion: .jobs)],
    discussion: [
      "A paused job does not come due, also after a restart, until nightlatch resume. Its runs that are under way or deferred go on."
    ],
    action: run)

  static func run(_ invocation: Invocation, _ world: Surroundings) throws(ToolError) -> ExitCode {
    let daemon = try world.daemon()
    for job in invocation.operands {
      _ = try daemon.ask(.pause(JobID(job)), for: EmptyReply.self)
      world.print("Paused \(job).")
    }
    return .success
  }
}
