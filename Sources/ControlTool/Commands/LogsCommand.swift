import Configuration
import ControlProtocol
import JobEngine
import LinuxPlatform

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
    if let name = invocation[0], RunID(name) == nil { try check(name, world) }
    var arguments = ["journalctl"]
    if invocation.has(follow) { arguments.append("--follow") }
    if let count = try invocation.positiveNumber(lines) { arguments.append("--lines=\(count)") }
    arguments += matches(invocation[0])
    return try world.become(
      Surroundings.Launch(candidates: world.candidates(inPathFor: "journalctl"), arguments: arguments))
  }

  /// A name that has no file and no run in the ledger is a mistake. Without the daemon nobody reads the ledger; then
  /// the files decide, if there are any.
  private static func check(_ name: String, _ world: Surroundings) throws(ToolError) {
    let known = (try? ConfigurationFiles.names(in: world.folders.jobs)) ?? []
    if known.contains(name) { return }
    do throws(ToolError) {
      let call = ControlCall.listRuns(job: JobID(name), state: nil, limit: 1)
      _ = try world.daemon().ask(call, for: RunsReply.self)
    } catch {
      if case .refused(.noSuchJob) = error { throw error }
      guard known.isEmpty else {
        throw .refused(.noSuchJob(name, nearest: nearest(to: name, among: known)))
      }
    }
  }

  private static func matches(_ subject: String?) -> [String] {
    guard let subject else { return ["--identifier=nightlatchd"] }
    return [RunID(subject) == nil ? "NIGHTLATCH_JOB=\(subject)" : "NIGHTLATCH_RUN=\(subject)"]
  }
}
