extension POSIXZoneRule {
  /// Nil when `text` isn't a rule.
  init?(_ text: String) {
    var cursor = TextCursor(text)
    guard let name = cursor.zoneAbbreviation(), let west = cursor.signedTime(hours: 24)
    else { return nil }
    standard = ZoneOffset(seconds: -west, isDaylightSaving: false, abbreviation: name)
    guard !cursor.isAtEnd else { return }
    guard let period = cursor.daylightPeriod(standard: standard), cursor.isAtEnd
    else { return nil }
    daylight = period
  }
}

extension TextCursor {
  /// Three or more letters, or anything of letters, digits and signs in angle brackets.
  fileprivate mutating func zoneAbbreviation() -> String? {
    let isQuoted = take("<")
    let start = position
    skip { byte in
      let isSign = byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
      return isLetter(byte) || isQuoted && (isDigit(byte) || isSign)
    }
    let name = bytes[start..<position]
    guard name.count >= 3, !isQuoted || take(">") else { return nil }
    return String(decoding: name, as: UTF8.self)
  }

  /// `[+-]h[h[h]][:mm[:ss]]` in seconds.
  fileprivate mutating func signedTime(hours: Int64) -> Int64? {
    let isNegative = next == UInt8(ascii: "-")
    if isNegative || next == UInt8(ascii: "+") { position += 1 }
    guard var total = number(upTo: hours).map({ $0 * 3_600 }) else { return nil }
    for unit: Int64 in [60, 1] where take(":") {
      guard let value = number(upTo: 59) else { return nil }
      total += value * unit
    }
    return isNegative ? -total : total
  }

  /// `dst[offset][,start[/time],end[/time]]`; without dates those of the United States, as in POSIX.
  fileprivate mutating func daylightPeriod(
    standard: ZoneOffset
  ) -> POSIXZoneRule.DaylightPeriod? {
    guard let name = zoneAbbreviation() else { return nil }
    var east = standard.seconds + 3_600
    if let byte = next, byte != UInt8(ascii: ",") {
      guard let west = signedTime(hours: 24) else { return nil }
      east = -west
    }
    if isAtEnd {
      self = TextCursor(",M3.2.0,M11.1.0")
    }
    guard take(","), let start = yearlyInstant(), take(","), let end = yearlyInstant()
    else { return nil }
    return POSIXZoneRule.DaylightPeriod(
      offset: ZoneOffset(seconds: east, isDaylightSaving: true, abbreviation: name),
      start: start, end: end)
  }

  private mutating func yearlyInstant() -> POSIXZoneRule.YearlyInstant? {
    guard let day = yearlyDay() else { return nil }
    guard take("/") else { return POSIXZoneRule.YearlyInstant(day: day, time: 7_200) }
    guard let time = signedTime(hours: 167) else { return nil }
    return POSIXZoneRule.YearlyInstant(day: day, time: time)
  }

  private mutating func yearlyDay() -> POSIXZoneRule.YearlyDay? {
    if take("J") {
      return number(upTo: 365).flatMap { $0 >= 1 ? .julian($0) : nil }
    }
    guard take("M") else { return number(upTo: 365).map { .zeroBased($0) } }
    guard let month = number(upTo: 12), month >= 1, take("."), let week = number(upTo: 5),
      week >= 1, take("."), let day = number(upTo: 6)
    else { return nil }
    return .weekday(month: Int(month), week: Int(week), day: Int(day))
  }
}
