/// One command: everything that its parsing, its help, its manual page and its completion need, and what
/// it does.
nonisolated struct Command: Sendable {
  typealias Action = @MainActor @Sendable (Invocation, Surroundings) throws(ToolError) -> ExitCode

  var name: String
  var group: Group
  /// What it does, in the imperative, without its full stop.
  var summary: String
  var operands: [Operand] = []
  var options: [CommandOption] = []
  /// Paragraphs.
  var discussion: [String] = []
  /// What its exit status can be beyond those of every command.
  var exitCodes: [ExitCode] = []
  var action: Action

  /// Under which heading the overview lists a command.
  nonisolated enum Group: String, CaseIterable, Sendable {
    case look = "See what is going on"
    case steer = "Steer jobs"
    case session = "Sessions and tokens"
    case configuration = "Configuration and schedules"
    /// For programs such as the shell's completion; listed nowhere.
    case hidden = ""
  }

  /// `nightlatch run JOB [OPTION...]`
  var usage: String {
    (["nightlatch", name] + operands.map(\.usage) + (options.isEmpty ? [] : ["[OPTION...]"]))
      .joined(separator: " ")
  }

  /// How many operands it takes.
  var operandCount: ClosedRange<Int> {
    let least = operands.count(where: \.isRequired)
    return least...(operands.contains(where: \.isRepeated) ? Int.max : operands.count)
  }
}
