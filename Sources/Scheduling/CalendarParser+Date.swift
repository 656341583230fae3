extension CalendarParser {
  /// A list of names and ranges of names; all seven days when there is none.
  mutating func weekdays() throws(ScheduleError) -> UInt64 {
    guard var day = try weekday() else { return CalendarFields.everyWeekday }
    var days: UInt64 = 0
    while true {
      days |= 1 << UInt64(day)
      if cursor.take(word: "..") || cursor.take("-") {
        let start = cursor.position
        guard let last = try weekday() else { throw failure(.expected("a day of the week")) }
        guard day <= last else {
          throw failure(.nothingToRepeat(field: "day of the week"), at: start)
        }
        days |= bits(day, through: last)
      }
      guard cursor.take(",") else { break }
      if cursor.isAtEnd || cursor.next == UInt8(ascii: " ") { break }
      guard let next = try weekday() else { throw failure(.expected("a day of the week")) }
      day = next
    }
    guard cursor.isAtEnd || cursor.next == UInt8(ascii: " ") else {
      throw failure(.expected("a blank after the days of the week"))
    }
    cursor.skipBlanks()
    return days
  }

  /// 0 is Monday; nil when no name comes next.
  private mutating func weekday() throws(ScheduleError) -> Int? {
    let start = cursor.position
    for (index, name) in WeekdayName.long.enumerated()
    where cursor.take(word: name, ignoringCase: true)
      || cursor.take(word: WeekdayName.short[index], ignoringCase: true)
    {
      if let next = cursor.next, !" -.,".utf8.contains(next) {
        throw failure(.expected("the name of a day of the week"), at: start)
      }
      return index
    }
    return nil
  }

  /// `[YEAR-]MONTH-DAY`, or `@SECONDS`; true when it says the time of day as well.
  mutating func date(_ fields: inout CalendarFields) throws(ScheduleError) -> Bool {
    if cursor.take("@") {
      try timestamp(&fields)
      return true
    }
    let start = cursor.position
    guard !cursor.isAtEnd else { return false }
    let first = try list()
    guard !cursor.isAtEnd, cursor.next != UInt8(ascii: ":") else {
      // This was a time.
      cursor.position = start
      return false
    }
    fields.daysFromEnd = try dash()
    let second = try list()
    if cursor.isAtEnd || cursor.next == UInt8(ascii: " ") {
      try setDate(&fields, years: nil, months: first, days: second)
    } else {
      if fields.daysFromEnd { throw failure(.expected("a blank after the day")) }
      fields.daysFromEnd = try dash()
      try setDate(&fields, years: first, months: second, days: list())
    }
    guard cursor.isAtEnd || cursor.next == UInt8(ascii: " ") else {
      throw failure(.expected("a blank after the date"))
    }
    cursor.skipBlanks()
    return false
  }

  /// True for the `~` that counts days from the month's end.
  private mutating func dash() throws(ScheduleError) -> Bool {
    if cursor.take("~") { return true }
    guard cursor.take("-") else { throw failure(.expected("\"-\" or \":\"")) }
    return false
  }

  private func setDate(
    _ fields: inout CalendarFields, years: WrittenList?, months: WrittenList, days: WrittenList
  ) throws(ScheduleError) {
    if let years { fields.years = try normalized(years.withCenturies, .year) }
    fields.months = try normalized(months, .month)
    // A star counts the same from either end.
    fields.daysFromEnd = fields.daysFromEnd && !days.components.isEmpty
    fields.days = try normalized(days, fields.daysFromEnd ? .dayFromEnd : .day)
  }

  /// Seconds since 1970 UTC.
  private mutating func timestamp(_ fields: inout CalendarFields) throws(ScheduleError) {
    let start = cursor.position
    cursor.skipBlanks()
    _ = cursor.take("+")
    guard let seconds = cursor.number(upTo: .max) else { throw failure(.expected("seconds since 1970")) }
    let civil = CivilTime(microsecondsSinceEpoch: saturatingMultiply(seconds, 1_000_000))
    let years = CalendarExpression.years
    guard years ~= civil.date.year else {
      throw failure(
        .outOfRange(field: "year", lowest: years.lowerBound, highest: years.upperBound), at: start)
    }
    fields.years = [CalendarComponent(start: civil.date.year)]
    fields.months = [CalendarComponent(start: civil.date.month)]
    fields.days = [CalendarComponent(start: civil.date.day)]
    fields.hours = [CalendarComponent(start: civil.hour)]
    fields.minutes = [CalendarComponent(start: civil.minute)]
    fields.seconds = [CalendarComponent(start: civil.second * 1_000_000)]
    isTimestamp = true
  }
}
