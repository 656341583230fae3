import ControlProtocol
import JobEngine

/// `nightlatch run JOB`
enum RunCommand {
  nonisolated static let command = Command(
    name: "run", group: .steer, summary: "Request a run of a job now",
    operands: [Operand("JOB", completion: .jobs)], options: [.wait, .json],
    discussion: [
      "Requests a run beside the job's schedule. It goes through the same gate: if the session is not verified the run is deferred, not forced. With --wait, ends when the run has its verdict, with 0 if it succeeded, 1 if it did not, and 75 if it had to wait for a session."
    ],
    exitCodes: [.success, .failure, .temporary],
    action: run)

  static func run(_ invocation: Invocation, _ world: Surroundings) throws(ToolError) -> ExitCode {
    let waits = invocation.has(.wait)
    let call = ControlCall.runJob(JobID(invocation[0] ?? ""), wait: waits)
    let run = try world.daemon().ask(call, for: RunReply.self, waits: waits).run
    if invocation.has(.json) {
      world.print(json: run)
    } else {
      let state = world.styled(run.state, RunDisplay.style(of: run.state))
      world.print(
        "Run \(run.run) of \(run.job): \(state)"
          + (RunDisplay.reason(of: run).map { ", \($0.printable)" } ?? ""))
    }
    return waits ? exitCode(of: run) : .success
  }

  private static func exitCode(of run: ControlProtocol.Run) -> ExitCode {
    guard let state = RunState(rawValue: run.state), state.isFinal else { return .temporary }
    return state == .succeeded ? .success : .failure
  }
}
