public import AuthModel
public import JobEngine

/// Which entries of the foreground queue ``Ledger/queue(_:)`` answers with.
public nonisolated struct QueueFilter: Hashable, Sendable {
  public var job: JobID?
  public var provider: ProviderName?
  /// Clamped to 1 ... 1,000.
  public var limit: Int
  /// Only entries drained after this one; the last entry of the page before.
  public var after: QueuePosition?

  public init(
    job: JobID? = nil, provider: ProviderName? = nil, limit: Int = 50, after: QueuePosition? = nil
  ) {
    self.job = job
    self.provider = provider
    self.limit = limit
    self.after = after
  }
}

/// A page of the foreground queue, in drain order.
public nonisolated struct QueuePage: Hashable, Sendable {
  public var entries: [RunRecord]
  /// How many entries match the filter in all, on every page.
  public var total: Int
}
