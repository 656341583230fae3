import Scheduling
import Testing

/// The table under CLOCK CHANGES in nightlatch-job(5), line by line.
@Suite struct ClockChangeTests {
  struct Row: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var text: String
    var zone: String
    /// Midnight or noon before it, in UTC.
    var after: String
    var adjust: [String]
    var systemd: [String]
  }

  static let rows = [
    Row(
      testDescription: "a fixed time in a gap", text: "02:30", zone: "Europe/Berlin",
      after: "2027-03-27T12:00:00Z",
      adjust: ["2027-03-28T03:00:00+02:00", "2027-03-29T02:30:00+02:00"],
      systemd: ["2027-03-29T02:30:00+02:00"]),
    Row(
      testDescription: "several fixed times in a gap", text: "02:00,20,40", zone: "Europe/Berlin",
      after: "2027-03-27T12:00:00Z",
      adjust: ["2027-03-28T03:00:00+02:00", "2027-03-29T02:00:00+02:00"],
      systemd: ["2027-03-29T02:00:00+02:00"]),
    Row(
      testDescription: "several fixed times in a gap, and one at its end", text: "02,03:00",
      zone: "Europe/Berlin",
      after: "2027-03-27T12:00:00Z",
      adjust: ["2027-03-28T03:00:00+02:00", "2027-03-29T02:00:00+02:00"],
      systemd: ["2027-03-28T03:00:00+02:00", "2027-03-29T02:00:00+02:00"]),
    Row(
      testDescription: "a fixed time in the repeated hour", text: "01:30", zone: "America/New_York",
      after: "2024-11-03T00:00:00Z",
      adjust: ["2024-11-03T01:30:00-04:00", "2024-11-04T01:30:00-05:00"],
      systemd: ["2024-11-03T01:30:00-04:00", "2024-11-04T01:30:00-05:00"]),
    Row(
      testDescription: "a step of minutes in a gap", text: "*:0/15", zone: "Europe/Berlin",
      after: "2027-03-28T00:30:00Z",
      adjust: ["2027-03-28T01:45:00+01:00", "2027-03-28T03:00:00+02:00"],
      systemd: ["2027-03-28T01:45:00+01:00", "2027-03-28T03:00:00+02:00"]),
    Row(
      testDescription: "a step of minutes in the repeated hour", text: "*:0/15", zone: "America/New_York",
      after: "2024-11-03T05:40:00Z",
      adjust: [
        "2024-11-03T01:45:00-04:00", "2024-11-03T01:00:00-05:00", "2024-11-03T01:15:00-05:00",
        "2024-11-03T01:30:00-05:00", "2024-11-03T01:45:00-05:00", "2024-11-03T02:00:00-05:00",
      ],
      systemd: ["2024-11-03T01:45:00-04:00", "2024-11-03T02:00:00-05:00"]),
    Row(
      testDescription: "a step of minutes in a fixed hour, in a gap", text: "02:0/15", zone: "Europe/Berlin",
      after: "2027-03-27T12:00:00Z",
      adjust: ["2027-03-28T03:00:00+02:00", "2027-03-29T02:00:00+02:00"],
      systemd: ["2027-03-29T02:00:00+02:00"]),
    Row(
      testDescription: "a step of minutes in a fixed hour that is repeated", text: "01:0/30",
      zone: "America/New_York", after: "2024-11-03T05:10:00Z",
      adjust: [
        "2024-11-03T01:30:00-04:00", "2024-11-03T01:00:00-05:00", "2024-11-03T01:30:00-05:00",
        "2024-11-04T01:00:00-05:00",
      ],
      systemd: ["2024-11-03T01:30:00-04:00", "2024-11-04T01:00:00-05:00"]),
    Row(
      testDescription: "a midnight in a gap", text: "daily", zone: "Africa/Cairo",
      after: "2024-04-25T12:00:00Z",
      adjust: ["2024-04-26T01:00:00+03:00", "2024-04-27T00:00:00+03:00"],
      systemd: ["2024-04-27T00:00:00+03:00"]),
    Row(
      testDescription: "a shift forward of half an hour", text: "02:10", zone: "Australia/Lord_Howe",
      after: "2024-10-05T12:00:00Z",
      adjust: ["2024-10-06T02:30:00+11:00", "2024-10-07T02:10:00+11:00"],
      systemd: ["2024-10-07T02:10:00+11:00"]),
    Row(
      testDescription: "a shift back of half an hour", text: "*:0/15", zone: "Australia/Lord_Howe",
      after: "2024-04-06T14:40:00Z",
      adjust: [
        "2024-04-07T01:45:00+11:00", "2024-04-07T01:30:00+10:30", "2024-04-07T01:45:00+10:30",
        "2024-04-07T02:00:00+10:30",
      ],
      systemd: ["2024-04-07T01:45:00+11:00", "2024-04-07T02:00:00+10:30"]),
    Row(
      testDescription: "a whole date that is skipped", text: "08:00", zone: "Pacific/Apia",
      after: "2011-12-29T20:00:00Z",
      adjust: ["2011-12-31T00:00:00+14:00", "2011-12-31T08:00:00+14:00"],
      systemd: ["2011-12-31T08:00:00+14:00"]),
    Row(
      testDescription: "a whole date that is skipped, daily", text: "daily", zone: "Pacific/Apia",
      after: "2011-12-29T20:00:00Z",
      adjust: ["2011-12-31T00:00:00+14:00", "2012-01-01T00:00:00+14:00"],
      systemd: ["2011-12-31T00:00:00+14:00", "2012-01-01T00:00:00+14:00"]),
  ]

  @Test(arguments: rows) func `what the manual says of a clock change is so`(row: Row) throws {
    let rules = try zone(row.zone)
    for (dst, dues) in [(DaylightSavingPolicy.adjust, row.adjust), (.systemd, row.systemd)] {
      let found = try calendar(row.text).dues(dues.count, after: try time(row.after), in: rules, dst: dst)
      #expect(found == (try dues.map(time)), "\(dst): found \(found.map(\.rfc3339))")
    }
  }
}
