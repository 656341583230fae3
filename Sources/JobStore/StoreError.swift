/// Why the ledger could not do what was asked. Nothing is ever kept in part: an operation that throws has
/// changed nothing.
public nonisolated enum StoreError: Error, Hashable, Sendable {
  /// The file exists but is not a ledger. It was not written to.
  case notLedger(path: String, reason: String)
  /// The file was written by a newer version. It was not written to.
  case newerSchema(path: String, found: Int, supported: Int)
  case failed(Operation, path: String, Cause)

  public enum Operation: Hashable, Sendable {
    case open
    /// Bringing the file to this schema version.
    case migrate(Int)
    /// Recording this many changes.
    case commit(Int)
    /// Reading what the noun names.
    case read(String)
    case prune
    case check
  }

  public enum Cause: Error, Hashable, Sendable {
    case diskFull
    /// Another process has held the ledger for longer than ``Ledger/patience``.
    case busy
    case readOnly
    /// The operating system refused; its own words.
    case system(String)
    /// The file has the form of something else, or of nothing.
    case notDatabase
    /// The file's contents contradict themselves.
    case damaged(String)
    /// The change breaks a rule of the ledger: a mistake in the program, not in the world.
    case rejected(String)
  }

  /// Whether the same operation may succeed later without anyone repairing the file or the program.
  public var isTransient: Bool {
    switch self {
    case .notLedger, .newerSchema: false
    case .failed(_, _, let cause):
      switch cause {
      case .diskFull, .busy, .readOnly, .system: true
      case .notDatabase, .damaged, .rejected: false
      }
    }
  }
}

nonisolated extension StoreError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .notLedger(let path, let reason):
      "Cannot use \(path) as the ledger: \(reason); it was left as it is: move it away or name another "
        + "folder."
    case .newerSchema(let path, let found, let supported):
      "Cannot use the ledger \(path): its schema is version \(found) and this program knows versions up to "
        + "\(supported); it was left as it is: install the newer program again."
    case .failed(let operation, let path, let cause):
      "Cannot \(operation.phrase(path)): \(cause); \(operation.kept), \(cause.next)."
    }
  }
}

nonisolated extension StoreError.Operation {
  func phrase(_ path: String) -> String {
    switch self {
    case .open: "open the ledger \(path)"
    case .migrate(let version): "bring the ledger \(path) to schema version \(version)"
    case .commit(1): "record a change in the ledger \(path)"
    case .commit(let count): "record \(count) changes in the ledger \(path)"
    case .read(let noun): "read \(noun) from the ledger \(path)"
    case .prune: "remove old runs from the ledger \(path)"
    case .check: "check the ledger \(path)"
    }
  }

  var kept: String {
    switch self {
    case .open, .migrate: "the file was left as it is"
    case .commit(1): "the change was not made and everything before it is kept"
    case .commit: "none of them was made and everything before them is kept"
    case .read, .prune, .check: "nothing was changed"
    }
  }
}

nonisolated extension StoreError.Cause: CustomStringConvertible {
  public var description: String {
    switch self {
    case .diskFull: "the disk is full"
    case .busy: "another process is using it"
    case .readOnly: "the file or its file system is read-only"
    case .system(let words): words
    case .notDatabase: "the file is no longer a database"
    case .damaged(let detail): "the file is damaged (\(detail))"
    case .rejected(let detail): "the ledger's rules forbid it (\(detail))"
    }
  }

  var next: String {
    switch self {
    case .diskFull: "to be tried again when there is space"
    case .busy: "to be tried again when the other process is done"
    case .readOnly: "to be tried again when it can be written"
    case .system: "to be tried again when that is repaired"
    case .notDatabase, .damaged: "to be tried again when the file has been repaired or replaced from a backup"
    case .rejected: "which is a fault in this program: please report it"
    }
  }
}
