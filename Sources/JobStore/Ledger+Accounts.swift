public import JobEngine

extension Ledger {
  /// How many runs are in each state; a state without any is missing.
  public func counts() throws(StoreError) -> [RunState: Int] {
    try perform(.read("the counts")) { () throws(StoreError.Cause) in
      var counts: [RunState: Int] = [:]
      let sql = "SELECT state, count(*) FROM runs INDEXED BY runs_by_state GROUP BY state"
      try database.each(sql) { row throws(StoreError.Cause) in
        let state = try row.required(RunState(rawValue: try row.text()))
        counts[state] = try row.number()
      }
      return counts
    }
  }

  /// What became of every due of every job. Reads the whole ledger: for `nightlatch verify`.
  public func accounts() throws(StoreError) -> [JobID: JobAccount] {
    try perform(.read("the accounts")) { () throws(StoreError.Cause) in
      try database.transaction(.read) { () throws(StoreError.Cause) in
        var accounts = try tallies()
        try addDues(to: &accounts)
        try addGaps(to: &accounts)
        return accounts
      }
    }
  }

  private func tallies() throws(StoreError.Cause) -> [JobID: JobAccount] {
    var accounts: [JobID: JobAccount] = [:]
    try database.each("SELECT job, stamped, pruned FROM jobs") { row throws(StoreError.Cause) in
      let job = JobID(try row.text())
      var account = JobAccount()
      account.stamped = try row.number()
      account.pruned = try row.number()
      accounts[job] = account
    }
    return accounts
  }

  private func addDues(to accounts: inout [JobID: JobAccount]) throws(StoreError.Cause) {
    let sql = """
      SELECT job, state, attempt > 0, CASE state WHEN 'skipped' THEN coalesce(reason, '') END, \
      count(*), sum(covers) FROM runs GROUP BY 1, 2, 3, 4
      """
    try database.each(sql) { row throws(StoreError.Cause) in
      let job = JobID(try row.text())
      let state = try row.required(RunState(rawValue: try row.text()))
      let (isStarted, reason) = (try row.integer() != 0, row.optionalText())
      let (count, covered) = (try row.number(), try row.number())
      accounts[job, default: JobAccount()].add(
        count, state: state, isStarted: isStarted, reason: reason, covered: covered)
    }
  }

  private func addGaps(to accounts: inout [JobID: JobAccount]) throws(StoreError.Cause) {
    let sql = """
      SELECT job, count(*) FROM runs WHERE attempt > 0 AND NOT EXISTS \
      (SELECT 1 FROM attempts WHERE run = runs.id AND number = runs.attempt) GROUP BY job
      """
    try database.each(sql) { row throws(StoreError.Cause) in
      let job = JobID(try row.text())
      accounts[job, default: JobAccount()].withoutHistory = try row.number()
    }
  }
}

extension JobAccount {
  fileprivate mutating func add(
    _ count: Int, state: RunState, isStarted: Bool, reason: String?, covered: Int
  ) {
    if isStarted { started[state, default: 0] += count } else { unstarted[state, default: 0] += count }
    if let reason, !isStarted { skipped[reason, default: 0] += count }
    self.covered += covered
  }
}
