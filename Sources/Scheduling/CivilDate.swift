/// A day of the proleptic Gregorian calendar, without a zone.
///
/// Whoever makes one vouches that it exists; ``init(year:month:day:)`` checks.
public struct CivilDate: Hashable, Comparable, Sendable {
  /// Astronomical: the year 0 precedes the year 1.
  public let year: Int
  /// 1 to 12.
  public let month: Int
  /// 1 to 31.
  public let day: Int

  /// Nil for a day that the calendar doesn't have, such as 30 February, or a year that microseconds since
  /// 1970 can't reach (beyond ±294,247).
  public init?(year: Int, month: Int, day: Int) {
    guard abs(year) <= 294_247, 1...12 ~= month, day >= 1,
      day <= Self.length(ofMonth: month, year: year)
    else { return nil }
    self.init(uncheckedYear: year, month: month, day: day)
  }

  init(uncheckedYear year: Int, month: Int, day: Int) {
    self.year = year
    self.month = month
    self.day = day
  }

  /// The day that many days after 1970-01-01 (before it when negative).
  ///
  /// Years are counted from 1 March, so that the leap day ends them, in eras of 400 years.
  init(daysSinceEpoch days: Int64) {
    let shifted = days + 719_468
    let era = floorDivide(shifted, 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra =
      (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let marchMonth = (5 * dayOfYear + 2) / 153
    let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
    self.year = Int(yearOfEra + era * 400 + (month <= 2 ? 1 : 0))
    self.month = Int(month)
    self.day = Int(dayOfYear - (153 * marchMonth + 2) / 5 + 1)
  }

  /// Days since 1970-01-01; negative before it.
  var daysSinceEpoch: Int64 {
    let marchYear = Int64(month <= 2 ? year - 1 : year)
    let era = floorDivide(marchYear, 400)
    let yearOfEra = marchYear - era * 400
    let marchMonth = Int64(month > 2 ? month - 3 : month + 9)
    let dayOfYear = (153 * marchMonth + 2) / 5 + Int64(day) - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  /// ISO 8601: 1 is Monday, 7 is Sunday.
  public var weekday: Int { Self.weekdayIndex(daysSinceEpoch: daysSinceEpoch) + 1 }

  /// 0 is Monday, 6 is Sunday; 1970-01-01 was a Thursday.
  static func weekdayIndex(daysSinceEpoch days: Int64) -> Int {
    let index = (days + 3) % 7
    return Int(index < 0 ? index + 7 : index)
  }

  public static func isLeap(year: Int) -> Bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
  }

  /// 28 to 31. `month` is 1 to 12.
  public static func length(ofMonth month: Int, year: Int) -> Int {
    switch month {
    case 2: isLeap(year: year) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  public static func < (left: CivilDate, right: CivilDate) -> Bool {
    (left.year, left.month, left.day) < (right.year, right.month, right.day)
  }
}

/// Rounds towards minus infinity. `divisor` is positive.
func floorDivide(_ value: Int64, _ divisor: Int64) -> Int64 {
  let quotient = value / divisor
  return value % divisor < 0 ? quotient - 1 : quotient
}
