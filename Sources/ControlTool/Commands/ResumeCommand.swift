import ControlProtocol
import JobEngine

/// `nightlatch resume JOB...`
enum ResumeCommand {
  nonisolated static let command = Command(
    name: "resume", group: .steer, summary: "Let paused jobs come due again",
    operands: [Operand("JOB", .some, completion: .jobs)],
    discussion: ["What was missed while the job was paused is treated as the job's missed setting says."],
    action: run)

  static func run(_ invocation: Invocation, _ world: Surroundings) throws(ToolError) -> ExitCode {
    let daemon = try world.daemon()
    for job in invocation.operands {
      _ = try daemon.ask(.resume(JobID(job)), for: EmptyReply.self)
      world.print("Resumed \(job).")
    }
    return .success
  }
}
