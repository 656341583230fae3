/// The durable record of every due, and the foreground queue, in one file.
///
/// Whatever ``commit(_:)`` has answered survives the death of the process, of the kernel and of the power
/// supply. A due is recorded once, however often and by however many processes it is stamped.
///
/// Every operation is one transaction: it happens whole or, when it throws, not at all.
public final class Ledger {
  /// The file, as it was named when it was opened.
  public let path: String
  let database: Database
  let file: LedgerFile

  /// How long an operation waits for another process that is writing.
  public static let patience = Duration.seconds(2)

  /// Opens the ledger, creates it if the file is absent or empty, and brings an older schema up to date.
  ///
  /// The folder must exist. The file is readable and writable by its owner only. A file that is not a
  /// ledger, is damaged, or was written by a newer version is refused and left as it is.
  public convenience init(path: String) throws(StoreError) {
    try self.init(path: path, migrations: Migration.all)
  }

  /// - Parameters:
  ///   - migrations: in the order of their versions.
  ///   - vfs: the name of a registered SQLite file layer; nil: the system's.
  init(path: String, migrations: [Migration], vfs: String? = nil) throws(StoreError) {
    self.path = path
    do {
      file = try LedgerFile(creatingAt: path)
      database = try Database(path: path, vfs: vfs)
    } catch {
      throw Self.refusal(path: path, error)
    }
    guard !database.isReadOnly else { throw .failed(.open, path: path, .readOnly) }
    database.setPatience(Self.patience)
    try identify(supported: migrations.last?.version ?? 0)
    try perform(.open) { () throws(StoreError.Cause) in try configure() }
    try migrate(migrations)
    try assertSchema(of: migrations)
  }

  /// Runs a part of an operation and says, if it fails, what the operation was.
  func perform<Value>(
    _ operation: StoreError.Operation, _ body: () throws(StoreError.Cause) -> Value
  ) throws(StoreError) -> Value {
    do { return try body() } catch { throw .failed(operation, path: path, error) }
  }
}
