import AuthModel
import ControlProtocol
import JobEngine
import Scheduling

/// `nightlatch queue [JOB]`
enum QueueCommand {
  nonisolated static let command = Command(
    name: "queue", group: .look, summary: "Show the foreground queue: runs that wait for a session",
    operands: [Operand("JOB", .optional, completion: .jobs)], options: [.provider, .limit, .json],
    discussion: [
      "Shows the runs that were deferred because their session was not verified, in the order in which they will start after the next verified refresh."
    ],
    action: run)

  static func run(_ invocation: Invocation, _ world: Surroundings) throws(ToolError) -> ExitCode {
    let call = ControlCall.listQueue(
      job: invocation[0].map { JobID($0) },
      provider: invocation.value(of: .provider).map { ProviderName($0) },
      limit: try invocation.positiveNumber(.limit))
    let reply = try world.daemon().ask(call, for: QueueReply.self)
    if invocation.has(.json) {
      world.print(json: reply)
    } else if reply.entries.isEmpty {
      world.print("The foreground queue is empty: nothing waits for a session.")
    } else {
      show(reply, world)
    }
    return .success
  }

  /// `work (unverified)`; for a session that is verified and yet not enough, why.
  private static func waitsFor(_ run: ControlProtocol.Run) -> String? {
    let state = run.blocked.map { "blocked: \($0)" } ?? run.authState.map { ProviderDisplay.brief($0) }
    return run.provider.map { provider in provider + (state.map { " (\($0))" } ?? "") }
  }

  private static func show(_ reply: QueueReply, _ world: Surroundings) {
    let times = world.times
    var table = Table([
      .init("JOB", narrow: .cutStart), .init("DUE"), .init("WAITS FOR"), .init("GIVES UP"), .init("RUN"),
    ])
    for run in reply.entries {
      table.rows.append([
        .init(run.job + (run.covers > 0 ? " (+\(run.covers))" : "")), .init(times.relative(run.due.wall)),
        .init(waitsFor(run), ProviderDisplay.style(run.authState ?? "")),
        .init(run.deferredUntil.map { times.relative($0.wall) }), .init(run.run, .dim),
      ])
    }
    world.print(table)
    if reply.total > reply.entries.count { world.print("\(reply.entries.count) of \(reply.total) shown.") }
  }
}
