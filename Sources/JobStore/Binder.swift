import CSQLite
import JobEngine
import Scheduling

/// Fills a statement's parameters from left to right.
struct Binder {
  let statement: OpaquePointer
  private var index: Int32 = 0
  /// The first failure's code; `SQLITE_OK` if there was none.
  private(set) var failure: Int32 = SQLITE_OK

  init(statement: OpaquePointer) { self.statement = statement }

  mutating func integer(_ value: Int64?) {
    guard let value else { return null() }
    index += 1
    note(sqlite3_bind_int64(statement, index, value))
  }

  mutating func integer(_ value: Int) { integer(Int64(value)) }

  /// Numbers that are only ever compared for equality keep their bits.
  mutating func bits(_ value: UInt64?) { integer(value.map { Int64(bitPattern: $0) }) }

  mutating func text(_ value: String?) {
    guard var value else { return null() }
    index += 1
    let at = index
    note(
      value.withUTF8 { bytes in
        bytes.withMemoryRebound(to: CChar.self) { characters in
          // An empty string may have no address, and a null address would bind NULL.
          guard let address = characters.baseAddress else {
            return nl_sqlite3_bind_text(statement, at, "", 0)
          }
          guard let length = Int32(exactly: characters.count) else { return SQLITE_TOOBIG }
          return nl_sqlite3_bind_text(statement, at, address, length)
        }
      })
  }

  mutating func wall(_ value: WallTime?) { integer(value?.microseconds) }

  mutating func moment(_ value: Moment?) {
    text(value?.bootID.description)
    integer(value?.boot.microseconds)
    wall(value?.wall)
  }

  mutating func id(_ value: RunID) { integer(value.storedForm) }

  private mutating func null() {
    index += 1
    note(sqlite3_bind_null(statement, index))
  }

  private mutating func note(_ code: Int32) {
    if failure == SQLITE_OK { failure = code }
  }
}

extension RunID {
  private static let topBit: UInt64 = 1 << 63

  /// SQLite's integers are signed: flipping the top bit makes their order the run ids' own.
  var storedForm: Int64 { Int64(bitPattern: rawValue ^ Self.topBit) }

  init(storedForm: Int64) { self.init(rawValue: UInt64(bitPattern: storedForm) ^ Self.topBit) }
}
