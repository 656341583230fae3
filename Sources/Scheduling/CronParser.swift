/// Reads cron's five fields.
struct CronParser {
  private let text: String
  private var cursor: TextCursor

  private static let monthNames = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
  ]
  private static let weekdayNames = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]

  init(_ text: String) {
    self.text = text
    cursor = TextCursor(text)
  }

  private func failure(_ fault: ScheduleError.Fault, at position: Int? = nil) -> ScheduleError {
    let column = cursor.column(at: position ?? cursor.position)
    return ScheduleError(grammar: .cron, text: text, column: column, fault: fault)
  }

  private mutating func skipBlanks() {
    cursor.skip { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
  }

  private var isAtFieldEnd: Bool {
    cursor.next.map { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") } ?? true
  }

  /// Replaces `@daily` and its like by the fields that they stand for. Unlike names they are in lower case.
  mutating func expandShorthand() throws(ScheduleError) {
    try refuseCalendar()
    skipBlanks()
    try refuseZone()
    if cursor.isAtEnd { throw failure(.empty) }
    let start = cursor.position
    guard cursor.take("@") else { return }
    let word = cursor.position
    cursor.skip(while: isLetter)
    let name = String(decoding: cursor.bytes[word..<cursor.position], as: UTF8.self)
    skipBlanks()
    guard cursor.isAtEnd else { throw failure(.expected("the end of the expression")) }
    if name == "reboot" { throw failure(.isReboot, at: start) }
    guard let fields = Self.fields(of: name) else {
      throw failure(.expected("one of @hourly, @daily, @weekly, @monthly and @yearly"), at: start)
    }
    cursor = TextCursor(fields)
  }

  private static func fields(of shorthand: String) -> String? {
    switch shorthand {
    case "hourly": "0 * * * *"
    case "daily", "midnight": "0 0 * * *"
    case "weekly": "0 0 * * 0"
    case "monthly": "0 0 1 * *"
    case "yearly", "annually": "0 0 1 1 *"
    default: nil
    }
  }

  /// Cron has neither colons nor `..`.
  private func refuseCalendar() throws(ScheduleError) {
    let bytes = cursor.bytes
    let hasColon = bytes.contains(UInt8(ascii: ":"))
    let hasDots = zip(bytes, bytes.dropFirst()).contains { pair in
      pair == (UInt8(ascii: "."), UInt8(ascii: "."))
    }
    if hasColon || hasDots || CalendarFields.shorthand(bytes) != nil {
      throw failure(.isCalendar, at: 0)
    }
  }

  /// `CRON_TZ=` and `TZ=` are lines of their own in a crontab.
  private func refuseZone() throws(ScheduleError) {
    var ahead = cursor
    if ahead.take(word: "CRON_TZ=") || ahead.take(word: "TZ=") { throw failure(.hasZone) }
  }

  mutating func field(_ kind: CronField.Kind) throws(ScheduleError) -> CronField {
    skipBlanks()
    if cursor.isAtEnd { throw failure(.expected("a \(kind.rawValue), the next of five fields,")) }
    var elements: [CronField.Element] = []
    repeat {
      if elements.count > 240 { throw failure(.tooManyElements) }
      elements.append(try element(kind))
    } while cursor.take(",")
    guard isAtFieldEnd else { throw failure(.expected("\",\" or a blank")) }
    return CronField(kind: kind, elements: elements)
  }

  mutating func end() throws(ScheduleError) {
    skipBlanks()
    if !cursor.isAtEnd { throw failure(.hasSeconds) }
  }

  private mutating func element(_ kind: CronField.Kind) throws(ScheduleError) -> CronField.Element {
    var element = CronField.Element()
    let start = cursor.position
    if !cursor.take("*") {
      let first = try value(kind)
      element.first = first
      if cursor.next == UInt8(ascii: "~") { throw failure(.isRandom) }
      if cursor.take("-") { element.last = try last(kind, from: first, start: start) }
    }
    if cursor.take("/") { element.step = try step() }
    guard kind == .weekday, element.first == 7, element.last ?? 7 == 7 else { return element }
    // 7, 7-7 and 7/2 are Sunday alone.
    return CronField.Element(first: 0)
  }

  private mutating func last(
    _ kind: CronField.Kind, from first: Int, start: Int
  ) throws(ScheduleError) -> Int {
    let last = try value(kind)
    guard first > last else { return last }
    // Sunday ends a range as 7 only: as 0, and by its name, it is the first day (cronie refuses that, too).
    throw failure(
      kind == .weekday && last == 0 ? .endsWithSunday : .nothingToRepeat(field: kind.rawValue), at: start)
  }

  private mutating func step() throws(ScheduleError) -> Int {
    let start = cursor.position
    guard let digit = cursor.next, isDigit(digit) else { throw failure(.expected("a number")) }
    guard let step = cursor.number(upTo: Int64(Int32.max)) else { throw failure(.overflow, at: start) }
    guard step > 0 else { throw failure(.zeroStep, at: start) }
    return Int(step)
  }

  private mutating func value(_ kind: CronField.Kind) throws(ScheduleError) -> Int {
    if let named = name(kind) { return named }
    let start = cursor.position
    guard let digit = cursor.next, isDigit(digit) else {
      throw failure(.expected("\"*\" or a \(kind.rawValue)"))
    }
    let range = kind.range
    guard let number = cursor.number(upTo: Int64(range.upperBound)), number >= range.lowerBound
    else {
      throw failure(
        .outOfRange(field: kind.rawValue, lowest: range.lowerBound, highest: range.upperBound),
        at: start)
    }
    return Int(number)
  }

  /// The first three letters of a month or day, in any case.
  private mutating func name(_ kind: CronField.Kind) -> Int? {
    switch kind {
    case .month:
      Self.monthNames.firstIndex { cursor.take(word: $0, ignoringCase: true) }.map { $0 + 1 }
    case .weekday:
      Self.weekdayNames.firstIndex { cursor.take(word: $0, ignoringCase: true) }
    default: nil
    }
  }
}
