import Scheduling
import Testing

@Suite struct CalendarExpressionTests {
  /// An expression, its canonical form, and its first dues after 2024-03-10 00:00 UTC.
  struct Row: CustomTestStringConvertible {
    let text: String
    let canonical: String
    let dues: [String]
    var testDescription: String { text }

    init(_ text: String, _ canonical: String, _ dues: String...) {
      self.text = text
      self.canonical = canonical
      self.dues = dues
    }
  }

  static let rows = [
    Row("minutely", "*-*-* *:*:00", "2024-03-10T00:01:00Z", "2024-03-10T00:02:00Z"),
    Row("hourly", "*-*-* *:00:00", "2024-03-10T01:00:00Z"),
    Row("DAILY", "*-*-* 00:00:00", "2024-03-11T00:00:00Z"),
    Row("weekly", "Mon *-*-* 00:00:00", "2024-03-11T00:00:00Z", "2024-03-18T00:00:00Z"),
    Row("monthly", "*-*-01 00:00:00", "2024-04-01T00:00:00Z"),
    Row("quarterly", "*-01,04,07,10-01 00:00:00", "2024-04-01T00:00:00Z", "2024-07-01T00:00:00Z"),
    Row("semiannually", "*-01,07-01 00:00:00", "2024-07-01T00:00:00Z", "2025-01-01T00:00:00Z"),
    Row("bi-annually", "*-01,07-01 00:00:00", "2024-07-01T00:00:00Z"),
    Row("yearly", "*-01-01 00:00:00", "2025-01-01T00:00:00Z"),
    Row("annually UTC", "*-01-01 00:00:00 UTC", "2025-01-01T00:00:00Z"),
    Row("Mon-Fri 09:00", "Mon..Fri *-*-* 09:00:00", "2024-03-11T09:00:00Z"),
    Row("sat,thursday,MON..wed,sat..sun 0:0", "Mon..Thu,Sat,Sun *-*-* 00:00:00", "2024-03-11T00:00:00Z"),
    Row("Mon,Tue,Wed,Thu,Fri,Sat,Sun", "*-*-* 00:00:00", "2024-03-11T00:00:00Z"),
    Row("Wed,", "Wed *-*-* 00:00:00", "2024-03-13T00:00:00Z"),
    Row("Mon  12:30", "Mon *-*-* 12:30:00", "2024-03-11T12:30:00Z"),
    Row("Sun 16:00", "Sun *-*-* 16:00:00", "2024-03-10T16:00:00Z", "2024-03-17T16:00:00Z"),
    Row("2024-03-10 00:00", "2024-03-10 00:00:00"),
    Row("3-11", "*-03-11 00:00:00", "2024-03-11T00:00:00Z", "2025-03-11T00:00:00Z"),
    Row("24-4-5 6:7:8", "2024-04-05 06:07:08", "2024-04-05T06:07:08Z"),
    Row("70-*-*", "1970-*-* 00:00:00"),
    Row("2024/2-1-1", "2024/2-01-01 00:00:00", "2026-01-01T00:00:00Z", "2028-01-01T00:00:00Z"),
    Row("*-*-1/5 04:00", "*-*-01/5 04:00:00", "2024-03-11T04:00:00Z", "2024-03-16T04:00:00Z"),
    Row("*-*~01", "*-*~01 00:00:00", "2024-03-31T00:00:00Z", "2024-04-30T00:00:00Z"),
    Row("Mon *-*~07/1", "Mon *-*~07/1 00:00:00", "2024-03-25T00:00:00Z", "2024-04-29T00:00:00Z"),
    Row("Mon *-05~07/1", "Mon *-05~07/1 00:00:00", "2024-05-27T00:00:00Z", "2025-05-26T00:00:00Z"),
    Row("Mon *-*-01..07", "Mon *-*-01..07 00:00:00", "2024-04-01T00:00:00Z", "2024-05-06T00:00:00Z"),
    Row("02~03", "*-02~03 00:00:00", "2025-02-26T00:00:00Z", "2026-02-26T00:00:00Z"),
    Row("*-*~1..5/3", "*-*~01..04/3 00:00:00", "2024-03-28T00:00:00Z", "2024-03-31T00:00:00Z"),
    Row("*-*~*", "*-*-* 00:00:00", "2024-03-11T00:00:00Z"),
    Row("*-*-31", "*-*-31 00:00:00", "2024-03-31T00:00:00Z", "2024-05-31T00:00:00Z"),
    Row("*-02-29 04:00", "*-02-29 04:00:00", "2028-02-29T04:00:00Z", "2032-02-29T04:00:00Z"),
    Row("*-02-30", "*-02-30 00:00:00"),
    Row("2024-02-30", "2024-02-30 00:00:00"),
    Row("2021-01-01", "2021-01-01 00:00:00"),
    Row("*:0/15", "*-*-* *:00/15:00", "2024-03-10T00:15:00Z", "2024-03-10T00:30:00Z"),
    Row("*:0/7", "*-*-* *:00/7:00", "2024-03-10T00:07:00Z", "2024-03-10T00:14:00Z"),
    Row("10:00..05:00", "*-*-* 10:00..05:00", "2024-03-10T10:00:00Z", "2024-03-10T10:01:00Z"),
    Row("5,1..4/3,1:30", "*-*-* 01,01..04/3,05:30:00", "2024-03-10T01:30:00Z", "2024-03-10T04:30:00Z"),
    Row("1..3/5:00", "*-*-* 01:00:00", "2024-03-10T01:00:00Z"),
    Row("*:5..5", "*-*-* *:05:00", "2024-03-10T00:05:00Z"),
    Row("*:*:*", "*-*-* *:*:*", "2024-03-10T00:00:01Z", "2024-03-10T00:00:02Z"),
    Row("*:*:0/1,30", "*-*-* *:*:*", "2024-03-10T00:00:01Z"),
    Row("*:*:0..5", "*-*-* *:*:00..05", "2024-03-10T00:00:01Z"),
    Row("*:*:0/20", "*-*-* *:*:00/20", "2024-03-10T00:00:20Z", "2024-03-10T00:00:40Z"),
    Row("*:*:0/0.7", "*-*-* *:*:00/0.700000", "2024-03-10T00:00:00.7Z", "2024-03-10T00:00:01.4Z"),
    Row(
      "*:*:1.5..3.5/0.5,9", "*-*-* *:*:01.500000..03.500000/0.500000,09", "2024-03-10T00:00:01.5Z",
      "2024-03-10T00:00:02Z"),
    Row("*:*:1.2345678", "*-*-* *:*:01.234568", "2024-03-10T00:00:01.234568Z"),
    Row("@1710028801", "2024-03-10 00:00:01 UTC", "2024-03-10T00:00:01Z"),
    Row("@0 Europe/Berlin", "1970-01-01 00:00:00 UTC"),
    Row("daily Etc/UTC", "*-*-* 00:00:00 Etc/UTC", "2024-03-11T00:00:00Z"),
    Row("2:00 Europe/Warsaw", "*-*-* 02:00:00 Europe/Warsaw", "2024-03-10T01:00:00Z"),
    Row("Sun 2199-12-31", "Sun 2199-12-31 00:00:00"),
    Row("Tue 2199-12-31", "Tue 2199-12-31 00:00:00", "2199-12-31T00:00:00Z"),
  ]

  @Test(arguments: rows) func `an expression is printed and elapses as in systemd`(row: Row) throws {
    let trigger = try calendar(row.text)
    #expect(trigger.canonical == row.canonical)
    let dues = trigger.dues(row.dues.count + 1, after: try time("2024-03-10T00:00:00Z"))
    #expect(dues.prefix(row.dues.count).map(\.rfc3339) == row.dues)
    if row.dues.isEmpty { #expect(dues.isEmpty) }
  }

  @Test(arguments: rows) func `the canonical form is read back as the same expression`(row: Row) throws {
    let trigger = try calendar(row.text)
    let again = try calendar(trigger.canonical)
    #expect(again == trigger)
    #expect(again.canonical == trigger.canonical)
  }

  /// An expression and the column at which it goes wrong.
  static let rejected: [(String, Int)] = [
    ("", 1), (" ", 1), ("7", 2), ("*:60", 3), ("25:00", 1), ("24:00", 1), ("*-13-01", 3), ("*-*~31", 5),
    ("fri..mon", 6), (" daily ", 1), ("@daily", 1), ("*/5 * * * *", 1), ("0 0 * * mon", 1), ("daily Z0", 7),
    ("daily +02:00", 1), ("daily Europe/Nowhere", 7), ("daily ../../etc/passwd", 1), ("*:0/0", 5),
    ("*:*:0/60", 5), ("1960-01-01", 1), ("9999-01-01", 1), ("*/15", 2), ("12:", 4), ("12:5x", 5),
    ("Mon..", 6), ("Monx", 1), ("Mon.Tue", 4), ("Mon..Tue..Wed", 9), ("*-*~3/5", 5), ("*:*:5..5", 5),
    ("2024~01-02", 8), ("5..3:00", 1), ("*:10/50", 3), ("99999999999999999999:00", 1), ("*:*:1.x", 7),
    ("@", 2), ("@x1", 1), ("@99999999999", 2), ("12:00:00:00", 9), ("2024-01-01T00:00", 11), ("ü", 1),
    ("12:00é", 6), ("*-*-* 12:00\u{0}", 12), ("\t12:00", 1),
  ]

  @Test(arguments: rejected) func `what systemd refuses is refused with its place`(text: String, column: Int)
  {
    let error = #expect(throws: ScheduleError.self) { try calendar(text) }
    #expect(error?.column == column)
    #expect(error?.text == text)
  }

  @Test func `cron's grammar is recognised`() {
    for text in ["@daily", "*/5 * * * *", "0 0 * * mon"] {
      #expect(#expect(throws: ScheduleError.self) { try calendar(text) }?.fault == .isCron)
    }
  }

  @Test func `a list holds 241 elements and no more`() throws {
    let list = Array(repeating: "1", count: 241).joined(separator: ",")
    #expect(try calendar(list + ":00").canonical == "*-*-* 01:00:00")
    let error = #expect(throws: ScheduleError.self) { try calendar(list + ",1:00") }
    #expect(error?.fault == .tooManyElements)
  }

  @Test func `a message stays on one short line`() throws {
    let text = "daily \u{1B}[31m\n" + String(repeating: "x", count: 100_000)
    let error = try #require(throws: ScheduleError.self) { try calendar(text) }
    #expect(error.description.unicodeScalars.count < 300)
    #expect(!error.description.contains("\n") && !error.description.contains("\u{1B}"))
  }
}
