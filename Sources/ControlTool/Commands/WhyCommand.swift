import ControlProtocol
import JobEngine
import Scheduling

/// `nightlatch why JOB|RUN [DUE]`
enum WhyCommand {
  nonisolated static let command = Command(
    name: "why", group: .look, summary: "Explain what became of a due",
    operands: [Operand("JOB|RUN", completion: .jobs), Operand("DUE", .optional)], options: [.json],
    discussion: [
      "Explains a run, the job's run of a due, or the job's newest run: its verdict, the reason, and each attempt. A run is sixteen hexadecimal digits, as nightlatch runs prints them; DUE is an RFC 3339 time such as 2027-01-01T02:00:00Z, or @SECONDS since 1970."
    ],
    action: run)

  static func run(_ invocation: Invocation, _ world: Surroundings) throws(ToolError) -> ExitCode {
    let call = ControlCall.why(try selection(invocation))
    let reply = try world.daemon().ask(call, for: ExplanationReply.self)
    if invocation.has(.json) {
      world.print(json: reply)
    } else {
      world.write(text(of: reply, world))
    }
    return .success
  }

  private static func selection(_ invocation: Invocation) throws(ToolError) -> ControlCall.RunSelection {
    let subject = invocation[0] ?? ""
    guard let text = invocation[1] else {
      return RunID(subject).map { .run($0) } ?? .newest(JobID(subject))
    }
    guard let due = WallTime(userText: text) else {
      throw .usage(
        "\"\(text)\" is no time: write 2027-01-01T02:00:00Z or @SECONDS", command: invocation.command.name)
    }
    return .due(JobID(subject), due)
  }

  private static func text(of reply: ExplanationReply, _ world: Surroundings) -> String {
    let (run, times) = (reply.run, world.times)
    var details = Details()
    details.add("due", times.full(run.due.wall) + (run.dueKind == .request ? ", on request" : ""))
    details.add(
      "verdict", run.state + (RunDisplay.reason(of: run).map { ": \($0)" } ?? ""),
      RunDisplay.style(of: run.state))
    details.add("next try", run.nextAttempt.map { times.full($0.wall) })
    details.add(
      "session",
      run.provider.map { provider in [provider, run.authState].compactMap { $0 }.joined(separator: " ") })
    details.add("deferred", run.deferred.map { times.full($0.wall) })
    details.add(
      "gives up",
      run.state == RunState.deferred.rawValue ? run.deferredUntil.map { times.full($0.wall) } : nil)
    details.add(
      "stands for", run.covers > 0 ? "\(DiagnosticDisplay.count(run.covers, "earlier due")) as well" : nil)
    details.add("started", run.started.map { times.full($0.wall) })
    details.add("late by", run.lateness.map { times.exact($0.duration) })
    details.add("took", RunDisplay.duration(of: run, times))
    for attempt in reply.attempts { details.add("attempt \(attempt.attempt)", line(for: attempt, times)) }
    let heading = "\(world.styled(run.job, .bold)) run \(run.run)\n"
    let explanation = reply.explanation.flatMap { $0.printable.wrapped(to: world.terminal.width) }
    let story = explanation.map { $0 + "\n" }.joined()
    return heading + details.text(for: world.terminal) + (story.isEmpty ? "" : "\n" + story)
  }

  private static func line(for attempt: Attempt, _ times: TimeDisplay) -> String {
    let when = attempt.started.map { times.absolute($0.wall) } ?? "not started"
    let why =
      attempt.reason.map { Reason.words(for: $0) } ?? RunDisplay.exit(attempt.exitCode, attempt.signal)
    return ([when, attempt.outcome ?? "under way"] + [why].compactMap { $0 }).joined(separator: ", ")
  }
}
