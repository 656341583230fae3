import Scheduling
import Testing

/// Schedules that have gone wrong in other programs, where no other test has them.
@Suite struct CasesTests {
  @Test func `a leap day is due in leap years`() throws {
    let dues = try calendar("*-02-29 04:00").dues(3, after: try time("2023-01-01T00:00:00Z"))
    #expect(dues.map(\.rfc3339) == ["2024-02-29T04:00:00Z", "2028-02-29T04:00:00Z", "2032-02-29T04:00:00Z"])
  }

  @Test func `a century without a leap day is stepped over`() throws {
    let dues = try cron("0 0 29 2 *").dues(2, after: try time("2096-01-01T00:00:00Z"))
    #expect(dues.map(\.rfc3339) == ["2096-02-29T00:00:00Z", "2104-02-29T00:00:00Z"])
  }

  @Test func `a Sunday's time that is still to come is due the same day`() throws {
    let due = try calendar("Sun 16:00").dues(1, after: try time("2024-03-10T09:00:00Z"))
    #expect(due == [try time("2024-03-10T16:00:00Z")])
  }

  @Test(arguments: ["daily Z", "0 9 * * 1-5", "daily UTC+2", "daily EST5EDT4"])
  func `a calendar with something else than a zone at its end is refused`(text: String) {
    #expect(throws: ScheduleError.self) { try calendar(text) }
  }

  /// A clock change that is not at midnight UTC, in a job that runs on Coordinated Universal Time all the same.
  @Test func `cron in UTC does not notice the machine's clocks`() throws {
    let london = try zone("Europe/London")
    let start = try time("2022-10-30T00:30:00Z")
    #expect(
      try cron("10 1 * * *").dues(2, after: start).map(\.rfc3339)
        == ["2022-10-30T01:10:00Z", "2022-10-31T01:10:00Z"])
    // There the clocks show 01:10 twice, the first time before the start.
    #expect(
      try cron("10 1 * * *").dues(1, after: start, in: london).map(\.rfc3339) == ["2022-10-31T01:10:00Z"])
  }

  @Test func `a range of weekdays may end with Sunday as 7 only`() throws {
    #expect(try cron("0 0 * * 6-7").canonical == "0 0 * * 6-7")
    for text in ["0 0 * * sat-sun", "0 0 * * 6-0", "0 0 * * mon-sun"] {
      let error = try #require(throws: ScheduleError.self) { try cron(text) }
      #expect(error.fault == .endsWithSunday)
      #expect(error.description.contains("5-7"))
    }
  }
}
