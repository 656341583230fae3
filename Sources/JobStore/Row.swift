import CSQLite
import JobEngine
import Scheduling

/// Reads a row's columns from left to right.
struct Row {
  let statement: OpaquePointer
  private var index: Int32 = 0

  init(statement: OpaquePointer) { self.statement = statement }

  mutating func optionalInteger() -> Int64? {
    defer { index += 1 }
    guard sqlite3_column_type(statement, index) != SQLITE_NULL else { return nil }
    return sqlite3_column_int64(statement, index)
  }

  mutating func integer() throws(StoreError.Cause) -> Int64 {
    try required(optionalInteger())
  }

  mutating func number() throws(StoreError.Cause) -> Int {
    guard let value = Int(exactly: try integer()) else { throw unreadable() }
    return value
  }

  mutating func bits() -> UInt64? { optionalInteger().map { UInt64(bitPattern: $0) } }

  mutating func optionalText() -> String? {
    defer { index += 1 }
    guard let bytes = sqlite3_column_text(statement, index) else { return nil }
    let length = Int(sqlite3_column_bytes(statement, index))
    return String(decoding: UnsafeBufferPointer(start: bytes, count: length), as: UTF8.self)
  }

  mutating func text() throws(StoreError.Cause) -> String {
    try required(optionalText())
  }

  mutating func optionalWall() -> WallTime? { optionalInteger().map { WallTime(microseconds: $0) } }

  mutating func wall() throws(StoreError.Cause) -> WallTime { try required(optionalWall()) }

  mutating func optionalMoment() -> Moment? {
    let (id, boot, wall) = (optionalText(), optionalInteger(), optionalWall())
    guard let id, let boot, let wall else { return nil }
    return Moment(bootID: BootID(id), now: Now(boot: Instant(microseconds: boot), wall: wall))
  }

  mutating func moment() throws(StoreError.Cause) -> Moment { try required(optionalMoment()) }

  mutating func id() throws(StoreError.Cause) -> RunID { RunID(storedForm: try integer()) }

  /// A column that must hold something the program understands.
  mutating func required<Value>(_ value: Value?) throws(StoreError.Cause) -> Value {
    guard let value else { throw unreadable() }
    return value
  }

  /// Nil for NULL; an error for a name that `Value` doesn't know.
  mutating func optionalName<Value: RawRepresentable<String>>() throws(StoreError.Cause) -> Value? {
    guard let text = optionalText() else { return nil }
    return try required(Value(rawValue: text))
  }

  private func unreadable() -> StoreError.Cause {
    let name = sqlite3_column_name(statement, max(0, index - 1)).map { String(cString: $0) } ?? "?"
    return .damaged("the column \(name) of a row has a value that is not understood")
  }
}
