public import AuthModel
public import JobEngine
public import Scheduling

/// Which runs ``Ledger/runs(_:)`` answers with: those that match every condition that is not nil.
public nonisolated struct RunFilter: Hashable, Sendable {
  public var job: JobID?
  public var states: Set<RunState>?
  public var provider: ProviderName?
  /// Clamped to 1 ... 1,000.
  public var limit: Int
  /// Only runs that come after this one in the answer's order; the last run of the page before.
  public var before: RunPosition?

  public init(
    job: JobID? = nil, states: Set<RunState>? = nil, provider: ProviderName? = nil, limit: Int = 50,
    before: RunPosition? = nil
  ) {
    self.job = job
    self.states = states
    self.provider = provider
    self.limit = limit
    self.before = before
  }
}

/// A place in the history's order: newest due first.
public nonisolated struct RunPosition: Hashable, Sendable {
  public var dueAt: WallTime
  public var id: RunID

  public init(dueAt: WallTime, id: RunID) {
    self.dueAt = dueAt
    self.id = id
  }

  public init(_ record: RunRecord) { self.init(dueAt: record.dueAt, id: record.id) }
}
