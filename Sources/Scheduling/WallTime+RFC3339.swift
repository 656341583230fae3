extension WallTime {
  /// This time in UTC as in RFC 3339: `2024-03-10T07:00:00Z`, with a fraction of one to six digits when it
  /// has one.
  ///
  /// Years outside 0 to 9999 are written with a sign, as in ISO 8601: `+294247-01-10T04:00:54.775807Z`.
  public var rfc3339: String {
    let civil = CivilTime(microsecondsSinceEpoch: microseconds)
    let date = civil.date
    let sign = date.year < 0 ? "-" : date.year > 9_999 ? "+" : ""
    let day =
      "\(sign)\(padded(abs(date.year), to: 4))-\(padded(date.month, to: 2))-\(padded(date.day, to: 2))"
    let time = [civil.hour, civil.minute, civil.second].map { padded($0, to: 2) }
    return "\(day)T\(time.joined(separator: ":"))\(fraction(civil.microsecond))Z"
  }

  /// Reads an RFC 3339 date-time (section 5.6) with any offset: `2024-03-10T02:00:00-05:00`.
  ///
  /// As the standard allows, `T` and `Z` may be lower case and `T` a blank. A leap second is the start of the
  /// next minute; digits after the microsecond are dropped. Nil for anything else, and for times that
  /// microseconds since 1970 can't hold.
  public init?(rfc3339 text: String) {
    var cursor = TextCursor(text)
    guard let date = cursor.rfc3339Date(), cursor.takeDateSeparator(),
      let time = cursor.rfc3339Time(), let offset = cursor.rfc3339Offset(), cursor.isAtEnd
    else { return nil }
    var seconds = date.daysSinceEpoch * 86_400 - offset + time / 1_000_000
    var fraction = time % 1_000_000
    if seconds < 0, fraction > 0 {
      // Counted back from the next second the earliest time doesn't overflow on the way.
      seconds += 1
      fraction -= 1_000_000
    }
    let (whole, tooFar) = seconds.multipliedReportingOverflow(by: 1_000_000)
    let (total, overflow) = whole.addingReportingOverflow(fraction)
    guard !tooFar, !overflow else { return nil }
    self.init(microseconds: total)
  }
}

/// `.5` for 500,000; nothing for 0.
private func fraction(_ microsecond: Int) -> String {
  guard microsecond > 0 else { return "" }
  var digits = padded(microsecond, to: 6)
  while digits.last == "0" { digits.removeLast() }
  return "." + digits
}

extension TextCursor {
  fileprivate mutating func rfc3339Date() -> CivilDate? {
    guard let year = rfc3339Year(), take("-"), let month = digits(2), take("-"),
      let day = digits(2)
    else { return nil }
    return CivilDate(year: year, month: month, day: day)
  }

  private mutating func rfc3339Year() -> Int? {
    if take("-") { return number(upTo: 999_999).map { -Int($0) } }
    if take("+") { return number(upTo: 999_999).map { Int($0) } }
    return digits(4)
  }

  fileprivate mutating func takeDateSeparator() -> Bool { take("T") || take("t") || take(" ") }

  /// Microseconds since midnight.
  fileprivate mutating func rfc3339Time() -> Int64? {
    guard let hour = digits(2), hour <= 23, take(":"), let minute = digits(2), minute <= 59,
      take(":"), let second = digits(2), second <= 60, let fraction = rfc3339Fraction()
    else { return nil }
    let whole = Int64(hour * 3_600 + minute * 60 + second) * 1_000_000
    return second == 60 ? whole : whole + fraction
  }

  private mutating func rfc3339Fraction() -> Int64? {
    guard take(".") else { return 0 }
    guard let first = next, isDigit(first) else { return nil }
    var value: Int64 = 0
    var unit: Int64 = 100_000
    while let byte = next, isDigit(byte) {
      value += Int64(byte - UInt8(ascii: "0")) * unit
      unit /= 10
      position += 1
    }
    return value
  }

  /// Seconds east of UTC.
  fileprivate mutating func rfc3339Offset() -> Int64? {
    if take("Z") || take("z") { return 0 }
    let isWest = next == UInt8(ascii: "-")
    guard take("+") || take("-"), let hours = digits(2), hours <= 23, take(":"),
      let minutes = digits(2), minutes <= 59
    else { return nil }
    return Int64(hours * 3_600 + minutes * 60) * (isWest ? -1 : 1)
  }
}
