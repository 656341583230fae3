import ControlProtocol
import JobEngine
import Scheduling

/// `nightlatch runs [JOB]`
enum RunsCommand {
  nonisolated static let command = Command(
    name: "runs", group: .look, summary: "List what became of past and present dues",
    operands: [Operand("JOB", .optional, completion: .jobs)], options: [verdict, .limit, .json],
    discussion: [
      "Lists runs from the ledger, the newest due first; 20 unless --limit says otherwise. Every due has one run, whether it was started, deferred or skipped."
    ],
    action: run)

  nonisolated static let verdict = CommandOption(
    "verdict", value: "STATE", help: "Only runs in this state, such as failed",
    completion: .words(RunState.allCases.map(\.rawValue)))

  static func run(_ invocation: Invocation, _ world: Surroundings) throws(ToolError) -> ExitCode {
    let call = ControlCall.listRuns(
      job: invocation[0].map { JobID($0) }, state: try state(in: invocation),
      limit: try invocation.positiveNumber(.limit) ?? 20)
    let reply = try world.daemon().ask(call, for: RunsReply.self)
    if invocation.has(.json) {
      world.print(json: reply)
    } else if reply.runs.isEmpty {
      world.print(
        sentence:
          "No such runs yet. nightlatch list shows what is due next; nightlatch run JOB starts a job now.")
    } else {
      show(reply.runs, world)
    }
    return .success
  }

  private static func state(in invocation: Invocation) throws(ToolError) -> RunState? {
    guard let text = invocation.value(of: verdict) else { return nil }
    if let state = RunState(rawValue: text) { return state }
    let names = RunState.allCases.map(\.rawValue)
    throw .usage(
      "there is no state \"\(text)\"" + suggestion(for: text, among: names), command: invocation.command.name)
  }

  private static func show(_ runs: [ControlProtocol.Run], _ world: Surroundings) {
    let times = world.times
    var table = Table([
      .init("JOB", narrow: .cutStart), .init("DUE"), .init("STATE"), .init("TOOK", right: true), .init("RUN"),
      .init("REASON", narrow: .below),
    ])
    for run in runs {
      let attempt = run.attempt > 1 ? ", try \(run.attempt)" : ""
      table.rows.append([
        .init(run.job), .init(times.absolute(run.due.wall)),
        .init(run.state + attempt, RunDisplay.style(of: run.state)),
        .init(RunDisplay.duration(of: run, times)), .init(run.run, .dim),
        .init(RunDisplay.remark(on: run, times)),
      ])
    }
    world.print(table)
  }
}
