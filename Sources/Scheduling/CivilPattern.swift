/// The civil times that an expression names, compiled into bits so that the next one is found by jumping from
/// field to field.
struct CivilPattern: Hashable {
  /// Empty for any year.
  let years: CalendarField
  /// No later year matches; nil when years never end.
  let lastYear: Int?
  /// Bit 1 is January.
  let months: UInt64
  let days: DayPattern
  let time: TimePattern
  /// The hour means "again and again" (`*` or a step) rather than fixed values.
  let repeatsHours: Bool
  /// The same of the minute.
  let repeatsMinutes: Bool

  static let cycleYears = 400

  /// The last year to look at in a search that begins at `civil`: after one cycle the calendar repeats.
  func lastYear(from civil: Int64) -> Int {
    lastYear ?? CivilTime(microsecondsSinceEpoch: civil).date.year + Self.cycleYears
  }

  /// The first match at or after `civil` and in `last` at the latest; both in microseconds since 1970 on the
  /// same wall.
  func first(from civil: Int64, through last: Int) -> Int64? {
    let day = floorDivide(civil, CivilTime.microsecondsPerDay)
    let date = CivilDate(daysSinceEpoch: day)
    let midnight = saturatingMultiply(day, CivilTime.microsecondsPerDay)
    if matches(date, through: last), let time = time.first(from: civil - midnight) {
      return saturatingAdd(midnight, time)
    }
    guard let next = firstDay(after: date, through: last) else { return nil }
    let (start, overflow) = next.daysSinceEpoch
      .multipliedReportingOverflow(by: CivilTime.microsecondsPerDay)
    return overflow ? nil : saturatingAdd(start, time.first)
  }

  /// The smallest value of one unit, in microseconds for the second, that is at least `value` and matches when
  /// the larger units are those of `civil`.
  func first(_ unit: BrokenDownTime.Unit, of civil: BrokenDownTime, from value: Int) -> Int? {
    switch unit {
    case .year: years.isEmpty ? value : years.first(from: value, limit: .max)
    case .month: firstBit(of: months, from: value)
    case .day: firstBit(of: days.mask(year: civil.year, month: civil.month), from: value)
    case .hour: firstBit(of: time.hours, from: value)
    case .minute: firstBit(of: time.minutes, from: value)
    case .second: time.second(from: value)
    }
  }

  private func firstBit(of mask: UInt64, from value: Int) -> Int? {
    let later = mask & (UInt64.max << UInt64(value))
    return later == 0 ? nil : later.trailingZeroBitCount
  }

  private func matches(_ date: CivilDate, through last: Int) -> Bool {
    firstYear(from: date.year, through: last) == date.year && months >> UInt64(date.month) & 1 == 1
      && days.mask(year: date.year, month: date.month) >> UInt64(date.day) & 1 == 1
  }

  private func firstDay(after date: CivilDate, through last: Int) -> CivilDate? {
    guard var year = firstYear(from: date.year, through: last) else { return nil }
    var candidates = months
    if year == date.year {
      // The rest of the month that the search begins in.
      if months >> UInt64(date.month) & 1 == 1 {
        let rest = days.mask(year: year, month: date.month) & ~bits(0, through: date.day)
        if rest != 0 { return CivilDate(year, date.month, firstBit: rest) }
      }
      candidates &= ~bits(0, through: date.month)
    }
    while true {
      while candidates != 0 {
        let month = candidates.trailingZeroBitCount
        let mask = days.mask(year: year, month: month)
        if mask != 0 { return CivilDate(year, month, firstBit: mask) }
        candidates &= candidates - 1
      }
      guard let next = firstYear(from: year + 1, through: last) else { return nil }
      year = next
      candidates = months
    }
  }

  private func firstYear(from year: Int, through last: Int) -> Int? {
    guard !years.isEmpty else { return year <= last ? year : nil }
    return years.first(from: year, limit: last)
  }
}

extension CivilDate {
  fileprivate init(_ year: Int, _ month: Int, firstBit mask: UInt64) {
    self.init(uncheckedYear: year, month: month, day: mask.trailingZeroBitCount)
  }
}
