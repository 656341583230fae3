import JobEngine

/// `nightlatch logs [JOB|RUN]`
enum LogsCommand {
  nonisolated static let follow = CommandOption("follow", "f", help: "Go on as new lines come")
  nonisolated static let lines = CommandOption("lines", "n", value: "N", help: "Show the newest N lines")

  nonisolated static let command = Command(
    name: "logs", group: .look, summary: "Show the journal of a job, a run or the daemon",
    operands: [Operand("JOB|RUN", .optional, completion: .jobs)], options: [follow, lines],
    discussion: [
      "Shows a job's verdicts and its output, as journalctl has them under NIGHTLATCH_JOB= or NIGHTLATCH_RUN=; without an argument, the daemon's own entries. A daemon that was started in a terminal writes there and not to the journal."
    ],
    action: run)

  static func run(_ invocation: Invocation, _ world: Surroundings) throws(ToolError) -> ExitCode {
    var arguments = ["journalctl"]
    if invocation.has(follow) { arguments.append("--follow") }
    if let count = try invocation.positiveNumber(lines) { arguments.append("--lines=\(count)") }
    arguments += matches(invocation[0])
    return try world.become(
      Surroundings.Launch(candidates: world.candidates(inPathFor: "journalctl"), arguments: arguments))
  }

  private static func matches(_ subject: String?) -> [String] {
    guard let subject else { return ["--identifier=nightlatchd"] }
    return [RunID(subject) == nil ? "NIGHTLATCH_JOB=\(subject)" : "NIGHTLATCH_RUN=\(subject)"]
  }
}
