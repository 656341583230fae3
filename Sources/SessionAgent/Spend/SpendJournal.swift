import AuthModel
import Glibc
import Scheduling

/// The write-ahead journal of one provider's spends: `sessions/NAME.journal`.
///
/// A refresh token is sent only after the intent is on disk, so that a process that was killed
/// leaves a record of what it may have done. Its owner holds the provider's ``SessionLock``.
final class SpendJournal {
  /// Beyond this it is rewritten with what still matters.
  static let compactionSize = 8 << 10
  private static let sizeLimit = 4 << 20

  private let path: String
  private let descriptor: Int32
  private let token: TokenHash
  private(set) var history: SpendHistory

  /// Opens the journal and learns what became of earlier spends of the store's token.
  init(path: String, generation: UInt64, token: TokenHash) throws(AgentError) {
    self.path = path
    self.token = token
    let bytes = try File.read(path, limit: Self.sizeLimit, isPrivate: true) ?? []
    history = SpendHistory(journal: bytes, generation: generation, token: token)
    let whole = bytes.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    let isCompacted = bytes.count > Self.compactionSize && !history.isDamaged
    if isCompacted {
      try Self.rewrite(path, history.records(token: token))
    }
    descriptor = Glibc.open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw .system(action: "open the spend journal", path: path, code: errno) }
    if !isCompacted, whole < bytes.count, ftruncate(descriptor, off_t(whole)) != 0 {
      throw .system(action: "repair the spend journal", path: path, code: errno)
    }
    if bytes.isEmpty { try File.syncFolder(of: path) }
  }

  deinit { close(descriptor) }

  /// What a journal says, without opening it for writing.
  static func read(_ path: String, generation: UInt64, token: TokenHash) throws(AgentError) -> SpendHistory {
    let bytes = try File.read(path, limit: sizeLimit, isPrivate: true) ?? []
    return SpendHistory(journal: bytes, generation: generation, token: token)
  }

  /// Returns when the record is on disk.
  func append(_ record: SpendRecord) throws(AgentError) {
    var line = record.line
    let code = line.withUTF8 { File.writeAll(descriptor, UnsafeRawBufferPointer($0)) }
    guard code == 0 else { throw .system(action: "write the spend journal", path: path, code: code) }
    guard fdatasync(descriptor) == 0 else {
      throw .system(action: "sync the spend journal", path: path, code: errno)
    }
    history.apply(record)
  }

  /// Forgets everything: a login or a logout begins anew.
  static func clear(_ path: String) throws(AgentError) {
    try rewrite(path, [])
  }

  private static func rewrite(_ path: String, _ records: [SpendRecord]) throws(AgentError) {
    let bytes = Array(records.map(\.line).joined().utf8)
    try ReservedFile(replacing: path, size: bytes.count).commit(bytes)
  }
}
