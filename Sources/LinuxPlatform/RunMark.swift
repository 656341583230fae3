/// The environment assignments that no process of another run has: how a run's processes are found
/// after they have left its session and lost their parent.
public nonisolated struct RunMark: Hashable, Sendable {
  /// `NAME=value`, all of which must be there.
  public var assignments: [String]

  public init(_ assignments: [String]) { self.assignments = assignments }

  public init(run: String, attempt: Int) {
    assignments = ["NIGHTLATCH_RUN=\(run)", "NIGHTLATCH_ATTEMPT=\(attempt)"]
  }
}
