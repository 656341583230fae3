import Glibc

extension Ledger {
  /// `PRAGMA application_id`, "NLch": tells `file` and us that a database is a ledger.
  static let applicationID: Int64 = 0x4e4c_6368

  /// Files up to this many pages of 4 KiB are checked whole when they are opened: a matter of milliseconds.
  /// A larger one is checked by ``checkIntegrity()``.
  private static let pagesCheckedAtOpen: Int64 = 2048

  /// Refuses what is not ours, and what is newer or damaged, before anything is written.
  func identify(supported: Int) throws(StoreError) {
    let found: Identity
    do { found = try readIdentity() } catch { throw Self.refusal(path: path, error) }
    if found.isBlank { return }
    guard found.applicationID == Self.applicationID else {
      throw .notLedger(path: path, reason: "it is a database of another program")
    }
    guard found.version <= supported else {
      throw .newerSchema(path: path, found: Int(clamping: found.version), supported: supported)
    }
    guard found.pages <= Self.pagesCheckedAtOpen else { return }
    try perform(.open) { () throws(StoreError.Cause) in
      let problems = try problems(check: "PRAGMA quick_check(1)")
      if let problem = problems.first { throw .damaged(problem) }
    }
  }

  static func refusal(path: String, _ cause: StoreError.Cause) -> StoreError {
    if cause == .notDatabase { return .notLedger(path: path, reason: "it is not a database") }
    return .failed(.open, path: path, cause)
  }

  func configure() throws(StoreError.Cause) {
    try file.restrictAccess()
    guard try enterWAL() == "wal" else {
      throw .system("its file system can't share memory between processes")
    }
    try database.run("PRAGMA synchronous = FULL")
    try database.run("PRAGMA foreign_keys = ON")
    // After a burst the write-ahead log is cut back to this many bytes.
    try database.run("PRAGMA journal_size_limit = 16777216")
  }

  /// A new file enters WAL under a lock that two processes may want at once, each holding what the other
  /// waits for. SQLite then gives up without its busy timeout, so the patience is kept here.
  private func enterWAL() throws(StoreError.Cause) -> String? {
    let end = ContinuousClock.now + Self.patience
    while true {
      do {
        return try database.first("PRAGMA journal_mode = WAL") { row throws(StoreError.Cause) in
          try row.text()
        }
      } catch {
        guard error == .busy, ContinuousClock.now < end else { throw error }
        usleep(5_000)
      }
    }
  }

  func migrate(_ migrations: [Migration]) throws(StoreError) {
    for migration in migrations {
      try perform(.migrate(migration.version)) { () throws(StoreError.Cause) in
        guard try integer("PRAGMA user_version") < migration.version else { return }
        try database.transaction(.write) { () throws(StoreError.Cause) in try apply(migration) }
      }
    }
  }

  private func apply(_ migration: Migration) throws(StoreError.Cause) {
    // Read again under the write lock: another process may have been faster.
    guard try integer("PRAGMA user_version") < migration.version else { return }
    for statement in migration.statements { try database.run(statement) }
    try database.run("PRAGMA application_id = \(Self.applicationID)")
    try database.run("PRAGMA user_version = \(migration.version)")
  }

  /// Compares the schema with one made afresh: a file whose header says that it is a ledger may still have
  /// lost a table.
  func assertSchema(of migrations: [Migration]) throws(StoreError) {
    try perform(.open) { () throws(StoreError.Cause) in
      let model = try Database(path: ":memory:", vfs: nil)
      for statement in migrations.flatMap(\.statements) { try model.run(statement) }
      let missing = try model.schema().subtracting(try database.schema())
      guard let first = missing.sorted().first else { return }
      throw .damaged("it lacks the \(first)")
    }
  }

  private func readIdentity() throws(StoreError.Cause) -> Identity {
    try database.transaction(.read) { () throws(StoreError.Cause) in
      Identity(
        applicationID: try integer("PRAGMA application_id"),
        version: try integer("PRAGMA user_version"),
        tables: try integer("SELECT count(*) FROM sqlite_schema"),
        pages: try integer("PRAGMA page_count"))
    }
  }

  func integer(_ sql: String) throws(StoreError.Cause) -> Int64 {
    let value = try database.first(sql) { row throws(StoreError.Cause) in try row.integer() }
    guard let value else { throw .damaged("\(sql) has no answer") }
    return value
  }

  private struct Identity {
    var applicationID: Int64
    var version: Int64
    var tables: Int64
    var pages: Int64

    /// An empty file, or a database in which nobody has made anything.
    var isBlank: Bool { applicationID == 0 && version == 0 && tables == 0 }
  }
}
