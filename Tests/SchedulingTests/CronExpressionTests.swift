import Scheduling
import SeededRandom
import Testing

@Suite struct CronExpressionTests {
  /// An expression, its canonical form, and its first dues after 2024-03-10 00:00 UTC, a Sunday.
  static let rows: [(String, String, [String])] = [
    ("* * * * *", "* * * * *", ["2024-03-10T00:01:00Z", "2024-03-10T00:02:00Z"]),
    ("  5 \t4  *  * * ", "5 4 * * *", ["2024-03-10T04:05:00Z", "2024-03-11T04:05:00Z"]),
    ("@hourly", "0 * * * *", ["2024-03-10T01:00:00Z"]),
    ("@daily", "0 0 * * *", ["2024-03-11T00:00:00Z"]),
    ("@midnight", "0 0 * * *", ["2024-03-11T00:00:00Z"]),
    ("@weekly", "0 0 * * 0", ["2024-03-17T00:00:00Z"]),
    ("@monthly", "0 0 1 * *", ["2024-04-01T00:00:00Z"]),
    ("@annually", "0 0 1 1 *", ["2025-01-01T00:00:00Z"]),
    ("@yearly ", "0 0 1 1 *", ["2025-01-01T00:00:00Z"]),
    ("0 0 * * 7", "0 0 * * 0", ["2024-03-17T00:00:00Z", "2024-03-24T00:00:00Z"]),
    ("0 0 * * SUN", "0 0 * * 0", ["2024-03-17T00:00:00Z"]),
    ("0 0 * * 5-7", "0 0 * * 5-7", ["2024-03-15T00:00:00Z", "2024-03-16T00:00:00Z", "2024-03-17T00:00:00Z"]),
    ("0 0 * * fri-7", "0 0 * * 5-7", ["2024-03-15T00:00:00Z"]),
    (
      "0 0 * * sun-tue", "0 0 * * 0-2",
      ["2024-03-11T00:00:00Z", "2024-03-12T00:00:00Z", "2024-03-17T00:00:00Z"]
    ),
    ("0 0 * * mon,wed", "0 0 * * 1,3", ["2024-03-11T00:00:00Z", "2024-03-13T00:00:00Z"]),
    ("0 0 1 jan-Mar/2 *", "0 0 1 1-3/2 *", ["2025-01-01T00:00:00Z", "2025-03-01T00:00:00Z"]),
    // Either day field, unless one of them starts with a star.
    (
      "0 0 1 * 1", "0 0 1 * 1",
      [
        "2024-03-11T00:00:00Z", "2024-03-18T00:00:00Z", "2024-03-25T00:00:00Z", "2024-04-01T00:00:00Z",
        "2024-04-08T00:00:00Z",
      ]
    ),
    (
      "0 0 */2 * 1", "0 0 */2 * 1",
      ["2024-03-11T00:00:00Z", "2024-03-25T00:00:00Z", "2024-04-01T00:00:00Z", "2024-04-15T00:00:00Z"]
    ),
    ("0 0 13 * */5", "0 0 13 * */5", ["2024-09-13T00:00:00Z", "2024-10-13T00:00:00Z"]),
    (
      "5/15 * * * *", "5/15 * * * *",
      [
        "2024-03-10T00:05:00Z", "2024-03-10T00:20:00Z", "2024-03-10T00:35:00Z", "2024-03-10T00:50:00Z",
        "2024-03-10T01:05:00Z",
      ]
    ),
    ("0 0 */2 2-3 *", "0 0 */2 2-3 *", ["2024-03-11T00:00:00Z", "2024-03-13T00:00:00Z"]),
    (
      "7-59/26 3 * * *", "7-59/26 3 * * *",
      ["2024-03-10T03:07:00Z", "2024-03-10T03:33:00Z", "2024-03-10T03:59:00Z"]
    ),
    ("1/100 0 * * *", "1/100 0 * * *", ["2024-03-10T00:01:00Z", "2024-03-11T00:01:00Z"]),
    ("0 0 29 2 *", "0 0 29 2 *", ["2028-02-29T00:00:00Z"]),
    ("0 12 29 2 */7", "0 12 29 2 */7", ["2032-02-29T12:00:00Z", "2060-02-29T12:00:00Z"]),
    ("0 0 31 4 *", "0 0 31 4 *", []),
    ("0 0 30,31 2 */1", "0 0 30,31 2 */1", []),
  ]

  @Test(arguments: rows) func `cron's rules are Vixie's`(
    text: String, canonical: String, dues: [String]
  ) throws {
    let trigger = try cron(text)
    #expect(trigger.canonical == canonical)
    #expect(try cron(canonical) == trigger)
    let found = trigger.dues(max(1, dues.count), after: try time("2024-03-10T00:00:00Z"))
    #expect(found.map(\.rfc3339) == dues)
  }

  @Test func `steps restart at each month`() throws {
    let dues = try cron("0 0 */2 * *").dues(3, after: try time("2024-01-28T00:00:00Z"))
    #expect(dues.map(\.rfc3339) == ["2024-01-29T00:00:00Z", "2024-01-31T00:00:00Z", "2024-02-01T00:00:00Z"])
  }

  static let rejected: [(String, Int)] = [
    ("", 1), ("  ", 3), ("* * * *", 8), ("60 * * * *", 1), ("* 24 * * *", 3), ("* * 0 * *", 5),
    ("* * 32 * *", 5), ("* * * 13 *", 7), ("* * * * 8", 9), ("*/0 * * * *", 3), ("5-3 * * * *", 1),
    ("* * * * fri-tue", 9), ("1,,2 * * * *", 3), ("1- * * * *", 3), ("a * * * *", 1), ("* * * foo *", 7),
    ("* mon * * *", 3), ("*5 * * * *", 2), ("-1 * * * *", 1), ("@fortnightly", 1), ("@Daily", 1),
    ("@daily x", 8),
    ("*/99999999999999999999 * * * *", 3), ("1ü * * * *", 2), ("* * * monday *", 7), ("* * * * monday", 12),
  ]

  @Test(arguments: rejected) func `anything else is refused with its place`(text: String, column: Int) {
    #expect(#expect(throws: ScheduleError.self) { try cron(text) }?.column == column)
  }

  static let hints: [(String, ScheduleError.Fault)] = [
    ("*/10 * * * * *", .hasSeconds), ("0 0 1 1 * 2024", .hasSeconds), ("*:0/15", .isCalendar),
    ("Mon..Fri 09:00", .isCalendar), ("daily", .isCalendar), ("@reboot", .isReboot),
    ("0~30 * * * *", .isRandom), ("0 0 * * fri-sun", .endsWithSunday), ("0 0 * * 5-0", .endsWithSunday),
    ("CRON_TZ=Europe/Paris 0 0 * * *", .hasZone), ("  TZ=UTC @daily", .hasZone),
  ]

  @Test(arguments: hints) func `what was meant is named`(text: String, fault: ScheduleError.Fault) throws {
    let error = try #require(throws: ScheduleError.self) { try cron(text) }
    #expect(error.fault == fault)
    #expect(error.description.hasPrefix("The cron expression \"\(text)\" can't be used: "))
  }

  /// Every minute of some days, tried one after the other.
  @Test func `jumping finds the same minutes as trying all of them`() throws {
    var random = SplitMix(state: 2)
    let start = try time("2024-02-27T11:17:00Z")
    let end = start + .seconds(5 * 86_400)
    let all = (1...5 * 1_440).map { start + .seconds($0 * 60) }
    let civils = all.map { TimeZoneRules.utc.civilTime(at: $0) }
    for _ in 0..<100 {
      let minutes = random.field(0...59)
      let hours = random.field(0...23)
      let days = random.field(1...31)
      let weekdays = random.field(0...6)
      let trigger = try cron("\(minutes.text) \(hours.text) \(days.text) * \(weekdays.text)")
      let either = !days.text.hasPrefix("*") && !weekdays.text.hasPrefix("*")
      let expected = zip(all, civils).filter { _, civil in
        guard minutes.values.contains(civil.minute), hours.values.contains(civil.hour) else { return false }
        let day = days.values.contains(civil.date.day)
        let weekday = weekdays.values.contains(civil.date.weekday % 7)
        return either ? day || weekday : day && weekday
      }.map { time, _ in time }
      let found = sequence(first: start) { trigger.next(after: $0, zone: .utc, dst: .adjust) }
        .dropFirst().prefix { $0 <= end }
      let difference = Set(found).symmetricDifference(expected).map(\.rfc3339).sorted()
      #expect(difference.isEmpty, "\(trigger)")
    }
  }
}
