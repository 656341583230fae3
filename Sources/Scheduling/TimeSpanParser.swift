/// Reads systemd's time spans.
struct TimeSpanParser {
  private let text: String
  private var cursor: TextCursor

  init(_ text: String) {
    self.text = text
    cursor = TextCursor(text)
  }

  private func failure(_ fault: ScheduleError.Fault, at position: Int? = nil) -> ScheduleError {
    let column = cursor.column(at: position ?? cursor.position)
    return ScheduleError(grammar: .span, text: text, column: column, fault: fault)
  }

  private mutating func skipBlanks() { cursor.skip { " \t\n\r".utf8.contains($0) } }

  /// The sum of all parts, so small that two such sums can be added.
  mutating func microseconds() throws(ScheduleError) -> Int64 {
    skipBlanks()
    if cursor.isAtEnd { throw failure(.empty) }
    if cursor.take(word: "infinity") { throw failure(.infinity, at: 0) }
    var total: Int64 = 0
    while !cursor.isAtEnd {
      let start = cursor.position
      let (sum, overflow) = total.addingReportingOverflow(try part())
      guard !overflow, sum < Int64.max / 2 else { throw failure(.overflow, at: start) }
      total = sum
      skipBlanks()
    }
    return total
  }

  /// A number and a unit; seconds without one.
  private mutating func part() throws(ScheduleError) -> Int64 {
    let start = cursor.position
    _ = cursor.take("+")
    let whole = try wholeNumber()
    let fraction = fractionDigits()
    guard whole != nil || !fraction.isEmpty else { throw failure(.expected("a number")) }
    let end = cursor.position
    skipBlanks()
    let unit = unit()
    // `12.34.56` and `5x` aren't two numbers and a number.
    guard unit != nil || cursor.isAtEnd || cursor.position > end else {
      throw failure(.expected("a unit such as \"s\", \"min\" or \"h\""))
    }
    let size = unit?.microseconds ?? 1_000_000
    let (product, overflow) = (whole ?? 0).multipliedReportingOverflow(by: size)
    let (value, tooLarge) = product.addingReportingOverflow(Self.share(of: size, fraction))
    guard !overflow, !tooLarge else { throw failure(.overflow, at: start) }
    return value
  }

  private mutating func wholeNumber() throws(ScheduleError) -> Int64? {
    guard let digit = cursor.next, isDigit(digit) else { return nil }
    let start = cursor.position
    guard let number = cursor.number(upTo: .max) else { throw failure(.overflow, at: start) }
    return number
  }

  /// The digits after a decimal point.
  private mutating func fractionDigits() -> ArraySlice<UInt8> {
    guard cursor.next == UInt8(ascii: "."), let digit = cursor.peek(1), isDigit(digit) else { return [] }
    cursor.position += 1
    let start = cursor.position
    cursor.skip(while: isDigit)
    return cursor.bytes[start..<cursor.position]
  }

  /// That decimal fraction of `size`, each digit truncated as in systemd.
  private static func share(of size: Int64, _ digits: ArraySlice<UInt8>) -> Int64 {
    var unit = size / 10
    var value: Int64 = 0
    for digit in digits {
      value += Int64(digit - UInt8(ascii: "0")) * unit
      unit /= 10
    }
    return value
  }

  private mutating func unit() -> TimeSpanUnit? {
    TimeSpanUnit.read.first { cursor.take(word: $0.name) }
  }
}
