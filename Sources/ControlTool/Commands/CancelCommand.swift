import ControlProtocol
import JobEngine

/// `nightlatch cancel JOB|RUN`
enum CancelCommand {
  nonisolated static let command = Command(
    name: "cancel", group: .steer, summary: "Cancel a run, or all of a job's runs that have not ended",
    operands: [Operand("JOB|RUN", completion: .jobs)], options: [.json],
    discussion: [
      "Takes runs out of the foreground queue and ends those that are under way, first with SIGTERM. The job stays scheduled; nightlatch pause stops it from coming due."
    ],
    action: run)

  static func run(_ invocation: Invocation, _ world: Surroundings) throws(ToolError) -> ExitCode {
    let subject = invocation[0] ?? ""
    let selection = RunID(subject).map { ControlCall.CancelSelection.run($0) } ?? .job(JobID(subject))
    let reply = try world.daemon().ask(.cancel(selection), for: CancelledReply.self)
    if invocation.has(.json) {
      world.print(json: reply)
    } else if reply.cancelled.isEmpty {
      world.print("Nothing to cancel: \(subject) has no run that has not ended.")
    } else {
      for run in reply.cancelled { world.print("Cancelled run \(run).") }
    }
    return .success
  }
}
