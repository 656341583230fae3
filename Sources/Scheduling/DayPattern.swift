/// Which days of a month match.
struct DayPattern: Hashable {
  /// Bit 1 is the first day of the month. Counted from the end: of a month of 31 days.
  private let days: UInt64
  private let fromEnd: Bool
  /// Bit 0 is Monday, repeated six times so that a month can begin on any of the first seven bits.
  private let weekdays: UInt64
  /// Cron's rule for two restricted fields: either may match.
  private let either: Bool

  /// - Parameters:
  ///   - days: bit 1 is the first day of the month, or the last one if `fromEnd`.
  ///   - weekdays: bit 0 is Monday.
  init(days: UInt64, fromEnd: Bool = false, weekdays: UInt64, either: Bool = false) {
    self.days = fromEnd ? Self.mirrored(days) : days
    self.fromEnd = fromEnd
    self.weekdays = (0..<6).reduce(0) { $0 | (weekdays & 0x7F) << UInt64($1 * 7) }
    self.either = either
  }

  /// Bit 1 is the first day of that month.
  func mask(year: Int, month: Int) -> UInt64 {
    let length = CivilDate.length(ofMonth: month, year: year)
    let first = CivilDate(uncheckedYear: year, month: month, day: 1).daysSinceEpoch
    let index = UInt64(CivilDate.weekdayIndex(daysSinceEpoch: first))
    let byWeekday = ((weekdays >> index) << 1) & bits(1, through: length)
    let byDay = (fromEnd ? days >> UInt64(31 - length) : days) & bits(1, through: length)
    return either ? byDay | byWeekday : byDay & byWeekday
  }

  /// The last day of a month of 31 days becomes the first.
  private static func mirrored(_ days: UInt64) -> UInt64 {
    (1...31).reduce(0) { $0 | (days >> UInt64($1) & 1) << UInt64(32 - $1) }
  }
}
