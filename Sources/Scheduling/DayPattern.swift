/// Which days of a month match.
struct DayPattern: Hashable {
  /// Bit 1 is the first day; one mask for each length of a month, from 28 to 31.
  private let days: [UInt64]
  /// Bit 0 is Monday, repeated six times so that a month can begin on any of the first seven bits.
  private let weekdays: UInt64
  /// Cron's rule for two restricted fields: either may match.
  private let either: Bool

  /// - Parameters:
  ///   - days: bit 1 is the first day of the month, or the last one if `fromEnd`.
  ///   - weekdays: bit 0 is Monday.
  init(days: UInt64, fromEnd: Bool = false, weekdays: UInt64, either: Bool = false) {
    self.days = (28...31).map { length in
      fromEnd ? Self.mirrored(days, length: length) : days & bits(1, through: length)
    }
    self.weekdays = (0..<6).reduce(0) { $0 | (weekdays & 0x7F) << UInt64($1 * 7) }
    self.either = either
  }

  /// Bit 1 is the first day of that month.
  func mask(year: Int, month: Int) -> UInt64 {
    let length = CivilDate.length(ofMonth: month, year: year)
    let first = CivilDate(uncheckedYear: year, month: month, day: 1).daysSinceEpoch
    let index = UInt64(CivilDate.weekdayIndex(daysSinceEpoch: first))
    let byWeekday = ((weekdays >> index) << 1) & bits(1, through: length)
    let byDay = days[length - 28]
    return either ? byDay | byWeekday : byDay & byWeekday
  }

  private static func mirrored(_ days: UInt64, length: Int) -> UInt64 {
    (1...length).reduce(0) { mask, day in
      days >> UInt64(length + 1 - day) & 1 == 1 ? mask | 1 << UInt64(day) : mask
    }
  }
}
