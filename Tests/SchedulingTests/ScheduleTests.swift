import Scheduling
import Testing

@Suite struct ScheduleTests {
  private func schedule(_ triggers: CalendarTrigger...) throws -> Schedule {
    var schedule = Schedule()
    schedule.calendars = triggers
    schedule.zone = try zone("Europe/Berlin")
    return schedule
  }

  @Test func `the earliest of several triggers is next`() throws {
    let schedule = try schedule(calendar("Mon 09:00"), cron("30 8 * * *"), calendar("2020-01-01"))
    let start = try time("2024-03-11T00:00:00+01:00")
    #expect(schedule.nextCalendar(after: start) == (try time("2024-03-11T08:30:00+01:00")))
    #expect(
      schedule.nextCalendar(after: try time("2024-03-11T08:30:00+01:00"))
        == (try time("2024-03-11T09:00:00+01:00")))
  }

  @Test func `no trigger has no due`() throws {
    let schedule = try schedule()
    let start = WallTime(seconds: 0)
    let end = WallTime(seconds: 1_000_000)
    #expect(schedule.nextCalendar(after: start) == nil)
    #expect(schedule.missedCalendar(after: start, through: end, limit: 5) == [])
  }

  @Test func `the interval's start is excluded and its end included`() throws {
    let schedule = try schedule(calendar("09:00"))
    let due = try time("2024-03-11T09:00:00+01:00")
    let second = Duration.seconds(1)
    func missed(from start: WallTime, to end: WallTime) -> [WallTime] {
      schedule.missedCalendar(after: start, through: end, limit: 2)
    }
    #expect(missed(from: due - second, to: due) == [due])
    #expect(missed(from: due, to: due + second) == [])
    #expect(missed(from: due - second, to: due - .microseconds(1)) == [])
    #expect(missed(from: due, to: due) == [])
    #expect(missed(from: due + second, to: due) == [])
  }

  @Test(arguments: [
    ("*:*:*", "2024-06-01T12:00:00Z"), ("*:0/15", "2024-06-01T12:00:00Z"), ("yearly", "2023-12-31T23:00:00Z"),
    ("*-02-29 04:00", "2024-02-29T03:00:00Z"), ("2000-01-01 00:00:0/0.1", "1999-12-31T23:00:59.9Z"),
    ("1971-*-* *:*:*", "1971-12-31T22:59:59Z"),
  ]) func `the latest due of half a century is found`(text: String, latest: String) throws {
    let schedule = try schedule(calendar(text))
    let found = schedule.missedCalendar(
      after: WallTime(seconds: 0), through: try time("2024-06-01T12:00:00Z"), limit: 1)
    #expect(found.map(\.rfc3339) == [latest])
  }

  @Test func `the newest missed dues come in order and within the limit`() throws {
    let schedule = try schedule(calendar("*:0/30"), calendar("*:15"))
    let start = try time("2020-01-01T00:00:00Z")
    let end = try time("2024-01-01T01:07:00Z")
    let missed = schedule.missedCalendar(after: start, through: end, limit: 4)
    #expect(
      missed.map(\.rfc3339) == [
        "2024-01-01T00:00:00Z", "2024-01-01T00:15:00Z", "2024-01-01T00:30:00Z", "2024-01-01T01:00:00Z",
      ])
    #expect(schedule.missedCalendar(after: missed[2], through: end, limit: 100) == [missed[3]])
    #expect(schedule.missedCalendar(after: start, through: end, limit: 0) == [])
  }

  /// Looking back finds what looking ahead has passed, also where clocks are put back.
  @Test(arguments: ["*:0/20", "02:30", "Mon,Wed 01:0/30", "0/2:30", "02:15,45"])
  func `missed dues are those that were next`(text: String) throws {
    let schedule = try schedule(calendar(text))
    for month in ["2024-03-29", "2024-10-25"] {
      let start = try time("\(month)T00:00:00Z")
      let end = start + .seconds(5 * 86_400)
      let ahead = sequence(first: start) { schedule.nextCalendar(after: $0) }.dropFirst().prefix { $0 <= end }
      #expect(schedule.missedCalendar(after: start, through: end, limit: 1_000) == Array(ahead))
      #expect(schedule.missedCalendar(after: start, through: end, limit: 7) == ahead.suffix(7))
      #expect(schedule.missedCalendar(after: start, through: end, limit: .max) == Array(ahead))
    }
  }

  /// A burst long ago, with nothing before or after it.
  @Test func `the newest dues of a burst are found in half a century`() throws {
    let schedule = try schedule(calendar("1999-12-31 23:*:0/1"), calendar("1980-06-01"))
    let start = WallTime(seconds: 0)
    let end = try time("2024-01-01T00:00:00Z")
    let last = try time("1999-12-31T23:59:59+01:00")
    let missed = schedule.missedCalendar(after: start, through: end, limit: 500)
    #expect(missed == (0..<500).reversed().map { last - .seconds($0) })
    let all = schedule.missedCalendar(after: start, through: end, limit: 10_000)
    #expect(all.count == 3_601 && all.first?.rfc3339 == "1980-05-31T22:00:00Z")
    #expect(schedule.missedCalendar(after: all[1], through: end, limit: 10_000) == Array(all.dropFirst(2)))
  }

  @Test func `an expression that is never due is named`() throws {
    let start = try time("2026-01-01T00:00:00Z")
    for text in ["*-02-30", "2021-01-01", "Mon 2026-01-06", "2199-02-29"] {
      let dead = try calendar(text)
      #expect(try schedule(calendar("daily"), dead).firstUnreachable(after: start) == dead)
      #expect(!dead.canElapse(after: start, zone: .utc, dst: .adjust))
      #expect(!dead.canElapse(after: start, zone: .utc, dst: .systemd))
    }
    let dead = try cron("0 0 31 4 *")
    #expect(try schedule(dead).firstUnreachable(after: start) == dead)
    #expect(try schedule(calendar("*-02-29"), cron("0 0 29 2 *")).firstUnreachable(after: start) == nil)
  }

  /// Midnight is missing on the same day of each year, and nothing else is asked for.
  @Test(arguments: DaylightSavingPolicy.allCases)
  func `a due that always falls into a gap is looked for one cycle long`(dst: DaylightSavingPolicy) throws {
    let rules = try TimeZoneRules(
      name: "Test/Zone", tzif: TZifBytes(footer: "XST0XDT,J60/0,J200/0").bytes)
    let start = try time("2024-01-01T00:00:00Z")
    let repeating = try cron("0,30 */24,0/23 1 3 *")
    #expect(repeating.next(after: start, zone: rules, dst: dst) == (try time("2024-03-01T22:00:00Z")))
    let always = try cron("30 0 1 3 *")
    let due = always.next(after: start, zone: rules, dst: dst)
    #expect(dst == .adjust ? due == (try time("2024-03-01T00:00:00Z")) : due == nil)
  }

  @Test func `the ends of time are reached without a trap`() throws {
    let trigger = try cron("* * * * *")
    for name in ["UTC", "Pacific/Apia", "America/New_York"] {
      for microseconds in [Int64.min, .min + 1, -1, .max - 1, .max] {
        let instant = WallTime(microseconds: microseconds)
        for dst in DaylightSavingPolicy.allCases {
          let due = trigger.next(after: instant, zone: try zone(name), dst: dst)
          #expect(due.map { $0 > instant } ?? true)
          #expect(
            try calendar("*:*:0/0.1").next(after: instant, zone: zone(name), dst: dst).map { $0 > instant }
              ?? true)
        }
      }
    }
  }
}
