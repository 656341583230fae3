import Scheduling
import Testing

@Suite struct WallTimeTests {
  static let rows: [(Int64, String)] = [
    (0, "1970-01-01T00:00:00Z"), (-1, "1969-12-31T23:59:59.999999Z"),
    (1_710_054_000_000_000, "2024-03-10T07:00:00Z"),
    (1_500_000, "1970-01-01T00:00:01.5Z"), (951_782_400_000_000, "2000-02-29T00:00:00Z"),
    (-62_167_219_200_000_000, "0000-01-01T00:00:00Z"), (253_402_300_800_000_000, "+10000-01-01T00:00:00Z"),
    (.max, "+294247-01-10T04:00:54.775807Z"), (.min, "-290308-12-21T19:59:05.224192Z"),
  ]

  @Test(arguments: rows) func `a time is written as in RFC 3339 and read back`(
    microseconds: Int64, text: String
  ) {
    let instant = WallTime(microseconds: microseconds)
    #expect(instant.rfc3339 == text)
    #expect(WallTime(rfc3339: text) == instant)
  }

  static let variants: [(String, String)] = [
    ("2024-03-10T02:00:00-05:00", "2024-03-10T07:00:00Z"),
    ("2024-03-10t02:00:00.25z", "2024-03-10T02:00:00.25Z"),
    ("2024-03-10 02:00:00+05:45", "2024-03-09T20:15:00Z"), ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00Z"),
    ("2024-03-10T02:00:00.1234567Z", "2024-03-10T02:00:00.123456Z"),
  ]

  @Test(arguments: variants) func `every spelling of the standard is read`(text: String, utc: String) {
    #expect(WallTime(rfc3339: text)?.rfc3339 == utc)
  }

  static let invalid = [
    "", "2024-03-10", "2024-03-10T07:00Z", "2024-03-10T07:00:00", "2024-02-30T00:00:00Z",
    "2024-13-01T00:00:00Z",
    "2024-01-01T24:00:00Z", "2024-01-01T00:60:00Z", "2024-01-01T00:00:61Z", "2024-01-01T00:00:00.Z",
    "2024-01-01T00:00:00+24:00", "2024-01-01T00:00:00+0100", "24-01-01T00:00:00Z", "2024-01-01T00:00:00Zx",
    "+999999-01-01T00:00:00Z", "+294247-01-10T04:00:54.775808Z", "-290308-12-21T19:59:05.224191Z",
    "٢٠٢٤-01-01T00:00:00Z",
  ]

  @Test(arguments: invalid) func `anything else is nil`(text: String) {
    #expect(WallTime(rfc3339: text) == nil)
  }

  @Test func `every day of 800 years has its successor and its weekday`() throws {
    var date = try #require(CivilDate(year: 1_600, month: 1, day: 1))
    var weekday = 6
    var instant = try time("1600-01-01T00:00:00Z")
    var wrong: [String] = []
    for _ in 0..<292_194 {
      let isRight = date.weekday == weekday && TimeZoneRules.utc.civilTime(at: instant).date == date
      if !isRight { wrong.append(instant.rfc3339) }
      instant = instant + .seconds(86_400)
      weekday = weekday % 7 + 1
      date = try #require(successor(of: date))
    }
    #expect(wrong.isEmpty)
    #expect(date == CivilDate(year: 2_400, month: 1, day: 1))
  }

  private func successor(of date: CivilDate) -> CivilDate? {
    CivilDate(year: date.year, month: date.month, day: date.day + 1)
      ?? CivilDate(year: date.year, month: date.month + 1, day: 1)
      ?? CivilDate(year: date.year + 1, month: 1, day: 1)
  }
}
