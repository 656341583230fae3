import Scheduling
import Testing

@Suite struct TimeSpanTests {
  /// A span, its microseconds, and how it is printed: all three as `systemd-analyze timespan` says.
  static let rows: [(String, Int64, String)] = [
    ("0", 0, "0"), ("5", 5_000_000, "5s"), ("2 h", 7_200_000_000, "2h"), ("2hours", 7_200_000_000, "2h"),
    ("48hr", 172_800_000_000, "2d"), ("1y 12month", 63_115_200_000_000, "2y"),
    ("55s500ms", 55_500_000, "55.500000s"), ("300ms20s 5day", 432_020_300_000, "5d 20.300000s"),
    ("1.5h", 5_400_000_000, "1h 30min"), ("2h 30min", 9_000_000_000, "2h 30min"), ("500ms", 500_000, "500ms"),
    ("90s", 90_000_000, "1min 30s"), ("1234us", 1_234, "1.234ms"), ("1.5us", 1, "1us"),
    (".5", 500_000, "500ms"),
    ("1.234567s", 1_234_567, "1.234567s"), ("61.5s", 61_500_000, "1min 1.500000s"),
    ("5 6", 11_000_000, "11s"),
    ("1month", 2_629_800_000_000, "1month"), ("1M", 2_629_800_000_000, "1month"), ("1m", 60_000_000, "1min"),
    ("3 weeks 4days", 2_160_000_000_000, "3w 4d"), ("7µs", 7, "7us"), ("7μs", 7, "7us"),
    ("+5s", 5_000_000, "5s"),
    (" 5s ", 5_000_000, "5s"), ("1y 2month 3w 4d 5.5s", 38_977_205_500_000, "1y 2month 3w 4d 5.500000s"),
  ]

  @Test(arguments: rows) func `a span is read and printed as in systemd`(
    text: String, microseconds: Int64, canonical: String
  ) throws {
    let duration = try Duration(timeSpan: text)
    #expect(duration == .microseconds(microseconds))
    #expect(duration.timeSpan == canonical)
    #expect(try Duration(timeSpan: canonical) == duration)
  }

  static let rejected: [(String, Int, ScheduleError.Fault?)] = [
    ("", 1, .empty), ("  ", 3, .empty), ("infinity", 1, .infinity), ("x", 1, .expected("a number")),
    ("-5s", 1, nil),
    ("5x", 2, nil), ("12.34.56", 6, nil), ("5s x", 4, nil), ("5.", 2, nil), ("µs", 1, nil), ("5µs x", 5, nil),
    ("99999999999999999999", 1, .overflow), ("9999999999y", 1, .overflow), ("146000y 146000y", 9, .overflow),
  ]

  @Test(arguments: rejected) func `anything else is refused with its place`(
    text: String, column: Int, fault: ScheduleError.Fault?
  ) throws {
    let error = try #require(throws: ScheduleError.self) { try Duration(timeSpan: text) }
    #expect(error.column == column)
    if let fault { #expect(error.fault == fault) }
    #expect(error.description.hasPrefix("The time span \"\(text)\" can't be used: at column \(column) "))
  }

  @Test func `a negative duration is printed with its sign`() {
    #expect(Duration.seconds(-90).timeSpan == "-1min 30s")
  }
}
