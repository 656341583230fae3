/// Which times of day match.
struct TimePattern: Hashable {
  let hours: UInt64
  let minutes: UInt64
  /// Within a minute, in microseconds; never empty.
  private let microseconds: CalendarField
  /// The earliest match of a day, in microseconds since midnight.
  let first: Int64

  static let microsecondsPerMinute = 60_000_000

  /// Bit 0 is the hour or minute 0; neither field is empty.
  init(hours: UInt64, minutes: UInt64, microseconds: CalendarField) {
    self.hours = hours
    self.minutes = minutes
    self.microseconds = microseconds
    let second = microseconds.first(from: 0, limit: Self.microsecondsPerMinute - 1) ?? 0
    first = Self.time(hours.trailingZeroBitCount, minutes.trailingZeroBitCount, second)
  }

  /// The first match at or after `time` on the same day; both in microseconds since midnight.
  func first(from time: Int64) -> Int64? {
    guard time > first else { return first }
    let minuteOfDay = Int(time) / Self.microsecondsPerMinute
    let (hour, minute) = (minuteOfDay / 60, minuteOfDay % 60)
    if hours >> UInt64(hour) & 1 == 1 {
      if minutes >> UInt64(minute) & 1 == 1,
        let second = second(from: Int(time) % Self.microsecondsPerMinute)
      {
        return Self.time(hour, minute, second)
      }
      let later = minutes & ~bits(0, through: minute)
      if later != 0 { return Self.time(hour, later.trailingZeroBitCount, 0) + firstSecond }
    }
    let later = hours & ~bits(0, through: hour)
    guard later != 0 else { return nil }
    return Self.time(later.trailingZeroBitCount, minutes.trailingZeroBitCount, 0) + firstSecond
  }

  func second(from microsecond: Int) -> Int? {
    microseconds.first(from: microsecond, limit: Self.microsecondsPerMinute - 1)
  }

  private var firstSecond: Int64 { first % Int64(Self.microsecondsPerMinute) }

  private static func time(_ hour: Int, _ minute: Int, _ microsecond: Int) -> Int64 {
    Int64((hour * 60 + minute) * microsecondsPerMinute + microsecond)
  }
}
