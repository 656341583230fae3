/// A TOML value and where it stands.
struct TOMLValue: Hashable, Sendable {
  var content: Content
  var begin: SourcePosition
  /// The column after the last character.
  var end: SourcePosition

  indirect enum Content: Hashable, Sendable {
    /// Sorted by key; keys are unique.
    case table([TOMLEntry])
    case array([TOMLValue])
    case string(String)
    case integer(Int64)
    case float(Double)
    case boolean(Bool)
    /// A date, a time, or both. No key of ours takes one.
    case date
  }
}

/// A key of a table with its value.
struct TOMLEntry: Hashable, Sendable {
  var key: String
  var position: SourcePosition
  var value: TOMLValue
}

extension TOMLValue {
  /// What it is, for messages: "an integer".
  var kind: String {
    switch content {
    case .table: "a table"
    case .array: "an array"
    case .string: "a string"
    case .integer: "an integer"
    case .float: "a floating-point number"
    case .boolean: "a boolean"
    case .date: "a date or time"
    }
  }

  /// The position of a string's scalar, counted from 0: inside the quotes when the string is written
  /// plainly, without escapes and on one line; otherwise the position of the string.
  func position(ofScalar offset: Int) -> SourcePosition {
    guard case .string(let text) = content, begin.line == end.line else { return begin }
    let count = text.unicodeScalars.count
    guard end.column - begin.column == count + 2 else { return begin }
    return SourcePosition(line: begin.line, column: begin.column + 1 + min(max(offset, 0), count))
  }
}
