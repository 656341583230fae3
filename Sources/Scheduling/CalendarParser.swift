/// Reads systemd's grammar of calendar events, with the same tolerance as systemd 252.
struct CalendarParser {
  var cursor: TextCursor
  let text: String
  /// Whether the expression is a number of seconds, which is in UTC whatever zone is named.
  var isTimestamp = false

  init(_ text: String) {
    self.text = text
    cursor = TextCursor(text)
  }

  func failure(_ fault: ScheduleError.Fault, at position: Int? = nil) -> ScheduleError {
    let column = cursor.column(at: position ?? cursor.position)
    return ScheduleError(grammar: .calendar, text: text, column: column, fault: fault)
  }

  /// Cuts a zone off the end: a word after the last blank that begins with a letter, as nothing else there
  /// does.
  mutating func zone(_ zones: ZoneLookup) throws(ScheduleError) -> TimeZoneRules? {
    try refuseCron()
    guard let blank = cursor.bytes.lastIndex(of: UInt8(ascii: " ")), blank > 0,
      let first = cursor.peek(blank + 1), isLetter(first)
    else { return nil }
    let name = String(decoding: cursor.bytes[(blank + 1)...], as: UTF8.self)
    let isUTC = name.utf8.map(lowercase) == Array("utc".utf8)
    guard let zone = isUTC ? .utc : TimeZoneRules.isName(name) ? zones(name) : nil
    else { throw failure(.unknownZone(name), at: blank + 1) }
    cursor = TextCursor(Array(cursor.bytes[..<blank]))
    return zone
  }

  mutating func fields() throws(ScheduleError) -> CalendarFields {
    if cursor.isAtEnd { throw failure(.empty) }
    if let shorthand = CalendarFields.shorthand(cursor.bytes) { return shorthand }
    var fields = CalendarFields()
    fields.weekdays = try weekdays()
    if try !date(&fields) { try time(&fields) }
    guard cursor.isAtEnd else { throw failure(.expected("the end of the expression")) }
    return fields
  }

  private func refuseCron() throws(ScheduleError) {
    let words = cursor.bytes.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    let isShorthand = cursor.next == UInt8(ascii: "@") && cursor.peek(1).map(isLetter) ?? false
    let hasFields = words.count >= 5 && !cursor.bytes.contains(UInt8(ascii: ":"))
    if isShorthand || hasFields { throw failure(.isCron, at: 0) }
  }
}
