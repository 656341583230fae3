import AuthModel
import JobEngine

extension Ledger {
  /// A page of the foreground queue in drain order, and how many entries there are in all.
  public func queue(_ filter: QueueFilter = QueueFilter()) throws(StoreError) -> QueuePage {
    try perform(.read("the foreground queue")) { () throws(StoreError.Cause) in
      try database.transaction(.read) { () throws(StoreError.Cause) in
        if let job = filter.job { return try page(of: job, filter) }
        let providers = if let provider = filter.provider { [provider] } else { try deferredProviders() }
        return try page(of: providers, filter)
      }
    }
  }

  static let countOfProvider = """
    SELECT count(*) FROM runs INDEXED BY queue_order WHERE state = 'deferred' AND provider = ?
    """

  /// Each provider's queue is already in order: a page of each, merged, is a page of all.
  private func page(
    of providers: [ProviderName], _ filter: QueueFilter
  ) throws(StoreError.Cause) -> QueuePage {
    var page = QueuePage(entries: [], total: 0)
    for provider in providers {
      page.entries += try entries(of: provider, after: filter.after, limit: filter.boundedLimit)
      let count = try database.first(
        Self.countOfProvider, { $0.text(provider.description) },
        row: { row throws(StoreError.Cause) in try row.number() })
      page.total += count ?? 0
    }
    page.entries.sort { QueuePosition($0) < QueuePosition($1) }
    page.entries.removeLast(max(0, page.entries.count - filter.boundedLimit))
    return page
  }

  static let nextProvider = """
    SELECT min(provider) FROM runs INDEXED BY queue_order WHERE state = 'deferred' AND provider > ?
    """

  /// From provider to provider through the index, without reading the entries between.
  private func deferredProviders() throws(StoreError.Cause) -> [ProviderName] {
    var providers: [ProviderName] = []
    while true {
      let last = providers.last?.description ?? ""
      let next = try database.first(
        Self.nextProvider, { $0.text(last) },
        row: { row throws(StoreError.Cause) in row.optionalText() })
      guard let next = next ?? nil else { return providers }
      providers.append(ProviderName(next))
    }
  }

  /// A job's entries are bounded by its `max_deferred`: few enough to sort.
  private func page(of job: JobID, _ filter: QueueFilter) throws(StoreError.Cause) -> QueuePage {
    let conditions = """
      FROM runs INDEXED BY queue_by_job WHERE state = 'deferred' AND job = ?1 \
      AND (?2 IS NULL OR provider = ?2)
      """
    func bind(_ binder: inout Binder) {
      binder.text(job.description)
      binder.text(filter.provider?.description)
    }
    let total = try database.first("SELECT count(*) \(conditions)", bind) { row throws(StoreError.Cause) in
      try row.number()
    }
    let after = filter.after == nil ? "" : "AND (drain_rank, due_at, id) > (?4, ?5, ?6)"
    let entries = try database.all(
      "SELECT \(RunRecord.columns) \(conditions) \(after) ORDER BY drain_rank, due_at, id LIMIT ?3",
      {
        bind(&$0)
        $0.integer(filter.boundedLimit)
        guard let position = filter.after else { return }
        $0.place(position)
        $0.id(position.id)
      }, row: RunRecord.init(row:))
    return QueuePage(entries: entries, total: total ?? 0)
  }
}

extension QueueFilter {
  fileprivate var boundedLimit: Int { min(max(1, limit), 1000) }
}
