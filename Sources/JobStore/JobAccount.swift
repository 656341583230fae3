public import JobEngine

/// What became of a job's dues, for `nightlatch verify`: each due on record is counted exactly once.
public nonisolated struct JobAccount: Hashable, Sendable {
  /// Dues ever stamped, counted when they were stamped.
  public var stamped = 0
  /// Dues whose records were removed by ``Ledger/prune(before:limit:)``.
  public var pruned = 0
  /// Dues that had at least one attempt, by the state they are in now.
  public var started: [RunState: Int] = [:]
  /// Dues that had none, by the state they are in now.
  public var unstarted: [RunState: Int] = [:]
  /// The part of ``unstarted`` that was skipped, by reason ("" when none was given).
  public var skipped: [String: Int] = [:]
  /// Earlier dues without a record of their own that one of the records stands for.
  public var covered = 0
  /// Dues with an attempt that the attempts' history doesn't know.
  public var withoutHistory = 0

  public init() {}

  /// Dues on record.
  public var onRecord: Int { started.values.reduce(0, +) + unstarted.values.reduce(0, +) }

  /// Whether every due ever stamped is on record or was pruned, and every attempt is in the history.
  public var isBalanced: Bool { stamped - pruned == onRecord && withoutHistory == 0 }
}
