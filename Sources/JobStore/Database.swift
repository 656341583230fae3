import CSQLite
import Glibc
import Scheduling

/// One connection to SQLite. The only type that calls it, with its statements, binders and rows.
@MainActor final class Database {
  let handle: OpaquePointer
  /// Prepared once, by their text.
  private var statements: [String: OpaquePointer] = [:]

  /// Opens an existing file.
  init(path: String, vfs: String?) throws(StoreError.Cause) {
    var opened: OpaquePointer?
    let code = sqlite3_open_v2(path, &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, vfs)
    guard let opened else { throw .system("out of memory") }
    guard code == SQLITE_OK else {
      let cause = StoreError.Cause(handle: opened)
      sqlite3_close_v2(opened)
      throw cause
    }
    handle = opened
  }

  // Needs the class to name its actor: an optimized build forgets a default isolation.
  isolated deinit {
    for statement in statements.values { sqlite3_finalize(statement) }
    sqlite3_close_v2(handle)
  }

  /// How long a statement waits for another process before it fails with `busy`.
  func setPatience(_ duration: Duration) {
    sqlite3_busy_timeout(handle, Int32(clamping: duration.wholeMicroseconds / 1000))
  }

  /// Whether SQLite, not being allowed to write, has opened the file for reading only.
  var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") != 0 }

  /// How many rows the last statement inserted, changed or deleted.
  var changes: Int { Int(sqlite3_changes(handle)) }

  /// Runs a statement and hands each row to `row`.
  func each(
    _ sql: String, _ bind: (inout Binder) -> Void = { _ in },
    row: (inout Row) throws(StoreError.Cause) -> Void
  ) throws(StoreError.Cause) {
    let statement = try prepared(sql)
    defer {
      sqlite3_reset(statement)
      sqlite3_clear_bindings(statement)
    }
    var binder = Binder(statement: statement)
    bind(&binder)
    guard binder.failure == SQLITE_OK else { throw StoreError.Cause(handle: handle) }
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW:
        var current = Row(statement: statement)
        try row(&current)
      case SQLITE_DONE: return
      default: throw StoreError.Cause(handle: handle)
      }
    }
  }

  func run(_ sql: String, _ bind: (inout Binder) -> Void = { _ in }) throws(StoreError.Cause) {
    try each(sql, bind) { _ throws(StoreError.Cause) in }
  }

  func all<Value>(
    _ sql: String, _ bind: (inout Binder) -> Void = { _ in },
    row: (inout Row) throws(StoreError.Cause) -> Value
  ) throws(StoreError.Cause) -> [Value] {
    var values: [Value] = []
    try each(sql, bind) { current throws(StoreError.Cause) in values.append(try row(&current)) }
    return values
  }

  func first<Value>(
    _ sql: String, _ bind: (inout Binder) -> Void = { _ in },
    row: (inout Row) throws(StoreError.Cause) -> Value
  ) throws(StoreError.Cause) -> Value? {
    try all(sql, bind, row: row).first
  }

  /// Every table and index, as "table NAME" or "index NAME". Not their text: another version of SQLite may
  /// write the result of an `ALTER TABLE` differently.
  func schema() throws(StoreError.Cause) -> Set<String> {
    let sql = "SELECT type || ' ' || name FROM sqlite_schema"
    return Set(try all(sql) { row throws(StoreError.Cause) in try row.text() })
  }

  /// Runs `body` in one transaction. Whatever fails, COMMIT included, rolls everything back.
  func transaction<Value>(
    _ kind: TransactionKind, _ body: () throws(StoreError.Cause) -> Value
  ) throws(StoreError.Cause) -> Value {
    try run(kind.rawValue)
    do {
      let value = try body()
      try run("COMMIT")
      return value
    } catch {
      // After some errors, a full disk among them, SQLite has already rolled back by itself.
      if sqlite3_get_autocommit(handle) == 0 { try? run("ROLLBACK") }
      throw error
    }
  }

  private func prepared(_ sql: String) throws(StoreError.Cause) -> OpaquePointer {
    if let statement = statements[sql] { return statement }
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
    guard code == SQLITE_OK, let statement else { throw StoreError.Cause(handle: handle) }
    statements[sql] = statement
    return statement
  }

  enum TransactionKind: String {
    /// Takes the write lock at once, so that a read in it can't go stale before the write.
    case write = "BEGIN IMMEDIATE"
    /// One consistent view for several reads.
    case read = "BEGIN"
  }
}

extension StoreError.Cause {
  /// What the connection's last error means. See https://www.sqlite.org/rescode.html.
  init(handle: OpaquePointer) {
    let message = String(cString: sqlite3_errmsg(handle))
    // The low byte is the code, the rest its refinement.
    switch sqlite3_errcode(handle) & 0xff {
    case SQLITE_FULL: self = .diskFull
    case SQLITE_BUSY, SQLITE_LOCKED: self = .busy
    case SQLITE_READONLY: self = .readOnly
    case SQLITE_CORRUPT: self = .damaged(message)
    case SQLITE_NOTADB: self = .notDatabase
    case SQLITE_CONSTRAINT, SQLITE_MISMATCH, SQLITE_TOOBIG, SQLITE_RANGE, SQLITE_MISUSE, SQLITE_ERROR:
      self = .rejected(message)
    default: self = Self(message: message, systemError: sqlite3_system_errno(handle))
    }
  }

  private init(message: String, systemError: Int32) {
    switch systemError {
    case 0: self = .system(message)
    case ENOSPC, EDQUOT: self = .diskFull
    default: self = .system("\(message): \(String(cString: strerror(systemError)))")
    }
  }
}
