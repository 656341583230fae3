/// What a clock on the wall shows: a date and a time of day, without a zone.
///
/// A zone says which instants show it: none, one or two (``TimeZoneRules/instants(of:)``).
public struct CivilTime: Hashable, Comparable, Sendable {
  public let date: CivilDate
  /// 0 ..< 86,400,000,000.
  let microsecondOfDay: Int64

  static let microsecondsPerDay: Int64 = 86_400_000_000

  /// Nil when a part is out of its range; there are no leap seconds.
  public init?(date: CivilDate, hour: Int, minute: Int, second: Int, microsecond: Int = 0) {
    guard 0...23 ~= hour, 0...59 ~= minute, 0...59 ~= second, 0...999_999 ~= microsecond
    else { return nil }
    self.date = date
    microsecondOfDay =
      Int64(hour * 3_600 + minute * 60 + second) * 1_000_000 + Int64(microsecond)
  }

  /// Reads `microseconds` since 1970-01-01 00:00 on the same wall.
  init(microsecondsSinceEpoch microseconds: Int64) {
    let days = floorDivide(microseconds, Self.microsecondsPerDay)
    date = CivilDate(daysSinceEpoch: days)
    // `days` can't be multiplied back at the lower end of the range.
    let remainder = microseconds % Self.microsecondsPerDay
    microsecondOfDay = remainder < 0 ? remainder + Self.microsecondsPerDay : remainder
  }

  /// Since 1970-01-01 00:00 on the same wall; clamped.
  var microsecondsSinceEpoch: Int64 {
    saturatingAdd(
      saturatingMultiply(date.daysSinceEpoch, Self.microsecondsPerDay), microsecondOfDay)
  }

  public var hour: Int { Int(microsecondOfDay / 3_600_000_000) }
  public var minute: Int { Int(microsecondOfDay / 60_000_000 % 60) }
  public var second: Int { Int(microsecondOfDay / 1_000_000 % 60) }
  public var microsecond: Int { Int(microsecondOfDay % 1_000_000) }

  public static func < (left: CivilTime, right: CivilTime) -> Bool {
    (left.date, left.microsecondOfDay) < (right.date, right.microsecondOfDay)
  }
}
