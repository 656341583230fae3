import Scheduling
import Testing

/// What happens to dues in gaps and repeated stretches; times bear the offset that holds there.
@Suite struct DaylightSavingTests {
  struct Row: CustomTestStringConvertible {
    let text: String
    let zone: String
    let dst: DaylightSavingPolicy
    let after: String
    let dues: [String]
    var testDescription: String { "\(text) in \(zone), \(dst)" }

    init(_ text: String, _ zone: String, _ dst: DaylightSavingPolicy, after: String, _ dues: String...) {
      self.text = text
      self.zone = zone
      self.dst = dst
      self.after = after
      self.dues = dues
    }

    func check(_ trigger: CalendarTrigger) throws {
      let rules = try SchedulingTests.zone(zone)
      let found = trigger.dues(dues.count, after: try time(after), in: rules, dst: dst)
      #expect(found == (try dues.map(time)), "found \(found.map(\.rfc3339))")
    }
  }

  static let calendars = [
    // A fixed time in a gap runs once, at the gap's end.
    Row(
      "*-*-* 02:30", "America/New_York", .adjust, after: "2024-03-10T00:30:00-05:00",
      "2024-03-10T03:00:00-04:00", "2024-03-11T02:30:00-04:00"),
    Row(
      "*-*-* 02:30", "America/New_York", .systemd, after: "2024-03-10T00:30:00-05:00",
      "2024-03-11T02:30:00-04:00"),
    Row(
      "*-*-* 02:30", "America/New_York", .adjust, after: "2024-03-10T03:00:00-04:00",
      "2024-03-11T02:30:00-04:00"),
    Row(
      "*-*-* 02..03:00,20,40", "America/New_York", .adjust, after: "2024-03-10T00:30:00-05:00",
      "2024-03-10T03:00:00-04:00", "2024-03-10T03:20:00-04:00", "2024-03-10T03:40:00-04:00",
      "2024-03-11T02:00:00-04:00"),
    Row(
      "02:0/15", "America/New_York", .adjust, after: "2024-03-10T00:30:00-05:00", "2024-03-10T03:00:00-04:00",
      "2024-03-11T02:00:00-04:00"),
    Row(
      "*:05/20", "America/New_York", .adjust, after: "2024-03-10T01:40:00-05:00", "2024-03-10T01:45:00-05:00",
      "2024-03-10T03:05:00-04:00"),
    Row(
      "*-*-* 02:10", "Australia/Lord_Howe", .adjust, after: "2024-10-05T12:00:00+10:30",
      "2024-10-06T02:30:00+11:00", "2024-10-07T02:10:00+11:00"),
    // A repeating expression keeps firing in both hours, a fixed one doesn't.
    Row(
      "*:0/15", "America/New_York", .adjust, after: "2024-11-03T01:40:00-04:00", "2024-11-03T01:45:00-04:00",
      "2024-11-03T01:00:00-05:00", "2024-11-03T01:15:00-05:00", "2024-11-03T01:30:00-05:00",
      "2024-11-03T01:45:00-05:00", "2024-11-03T02:00:00-05:00"),
    Row(
      "*:0/15", "America/New_York", .systemd, after: "2024-11-03T01:40:00-04:00", "2024-11-03T01:45:00-04:00",
      "2024-11-03T02:00:00-05:00"),
    Row(
      "*:0/15", "America/New_York", .systemd, after: "2024-11-03T01:10:00-05:00", "2024-11-03T01:15:00-05:00"),
    Row(
      "*-*-* 01:30", "America/New_York", .adjust, after: "2024-11-03T00:00:00-04:00",
      "2024-11-03T01:30:00-04:00", "2024-11-04T01:30:00-05:00"),
    Row(
      "*-*-* 01:30", "America/New_York", .adjust, after: "2024-11-03T01:10:00-05:00",
      "2024-11-04T01:30:00-05:00"),
    Row(
      "*-*-* 01:30", "America/New_York", .systemd, after: "2024-11-03T00:00:00-04:00",
      "2024-11-03T01:30:00-04:00", "2024-11-04T01:30:00-05:00"),
    Row(
      "2024-11-03 01:0/30", "America/New_York", .adjust, after: "2024-11-03T01:50:00-04:00",
      "2024-11-03T01:00:00-05:00", "2024-11-03T01:30:00-05:00"),
    Row(
      "*-11-03 01:0/30", "America/New_York", .adjust, after: "2024-11-03T01:50:00-04:00",
      "2024-11-03T01:00:00-05:00", "2024-11-03T01:30:00-05:00", "2025-11-03T01:00:00-05:00"),
    // A day whose midnight is missing isn't lost, nor is one that is missing as a whole.
    Row(
      "daily", "Africa/Cairo", .adjust, after: "2024-04-25T12:00:00+02:00", "2024-04-26T01:00:00+03:00",
      "2024-04-27T00:00:00+03:00"),
    Row("daily", "Africa/Cairo", .systemd, after: "2024-04-25T12:00:00+02:00", "2024-04-27T00:00:00+03:00"),
    Row(
      "daily", "Pacific/Apia", .adjust, after: "2011-12-29T12:00:00-10:00", "2011-12-31T00:00:00+14:00",
      "2012-01-01T00:00:00+14:00"),
    Row(
      "08:00", "Pacific/Apia", .adjust, after: "2011-12-29T12:00:00-10:00", "2011-12-31T00:00:00+14:00",
      "2011-12-31T08:00:00+14:00"),
    Row(
      "daily", "America/Sao_Paulo", .adjust, after: "2014-10-18T12:00:00-03:00", "2014-10-19T01:00:00-02:00"),
    // Far from any change both are alike.
    Row(
      "*-*-* 16:04", "America/New_York", .adjust, after: "2025-03-09T00:00:00-05:00",
      "2025-03-09T16:04:00-04:00"),
    Row(
      "Mon *-*-* 02:00 Europe/Warsaw", "Asia/Tokyo", .adjust, after: "2025-03-27T00:00:00Z",
      "2025-03-31T02:00:00+02:00"),
    Row("Mon..Fri 08:00", "UTC", .adjust, after: "2024-03-10T03:51:00Z", "2024-03-11T08:00:00Z"),
    Row("Mon..Fri 08:00", "UTC", .adjust, after: "2024-03-11T03:51:00Z", "2024-03-11T08:00:00Z"),
    Row("*-*-1/5 04:00", "UTC", .systemd, after: "2022-02-28T01:00:00Z", "2022-03-01T04:00:00Z"),
    Row(
      "*-*~01", "UTC", .adjust, after: "2024-01-01T00:00:00Z", "2024-01-31T00:00:00Z", "2024-02-29T00:00:00Z",
      "2024-03-31T00:00:00Z", "2024-04-30T00:00:00Z"),
    // By the rule in the file's last line, a long time from now.
    Row(
      "02:30", "Europe/Berlin", .adjust, after: "2198-03-24T12:00:00+01:00", "2198-03-25T03:00:00+02:00",
      "2198-03-26T02:30:00+02:00"),
  ]

  @Test(arguments: calendars) func `calendar dues follow the policy`(row: Row) throws {
    try row.check(try calendar(row.text))
  }

  static let crons = [
    Row(
      "30 2 * * *", "Europe/Paris", .adjust, after: "2024-03-31T00:00:00+01:00", "2024-03-31T03:00:00+02:00",
      "2024-04-01T02:30:00+02:00"),
    Row(
      "30 2 * * *", "Europe/Paris", .systemd, after: "2024-03-31T00:00:00+01:00", "2024-04-01T02:30:00+02:00"),
    Row(
      "*/15 * * * *", "Europe/Paris", .adjust, after: "2020-10-25T02:50:00+02:00",
      "2020-10-25T02:00:00+01:00",
      "2020-10-25T02:15:00+01:00", "2020-10-25T02:30:00+01:00", "2020-10-25T02:45:00+01:00",
      "2020-10-25T03:00:00+01:00"),
    Row(
      "0 1 * * *", "America/New_York", .adjust, after: "2024-11-04T00:00:00-05:00",
      "2024-11-04T01:00:00-05:00"),
    Row(
      "10 1 * * *", "UTC", .adjust, after: "2022-10-30T00:30:00Z", "2022-10-30T01:10:00Z",
      "2022-10-31T01:10:00Z"),
    Row(
      "0 12 11,26 * *", "America/Sao_Paulo", .adjust, after: "2014-10-18T00:00:00-03:00",
      "2014-10-26T12:00:00-02:00"),
    Row(
      "59 1 * * *", "America/New_York", .adjust, after: "2024-11-03T01:58:30-04:00",
      "2024-11-03T01:59:00-04:00",
      "2024-11-04T01:59:00-05:00"),
    Row(
      "0 * * * *", "America/New_York", .adjust, after: "2024-11-03T00:30:00-04:00",
      "2024-11-03T01:00:00-04:00",
      "2024-11-03T01:00:00-05:00", "2024-11-03T02:00:00-05:00"),
    // A step that leaves one hour only is a fixed time.
    Row(
      "30 2/22 * * *", "Europe/Paris", .adjust, after: "2024-03-31T00:00:00+01:00",
      "2024-03-31T03:00:00+02:00"),
  ]

  @Test(arguments: crons) func `cron dues follow the same policy`(row: Row) throws {
    try row.check(try cron(row.text))
  }
}
