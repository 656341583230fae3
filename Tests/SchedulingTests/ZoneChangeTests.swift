import Scheduling
import Testing

/// The rules of ``DaylightSavingPolicy``, held against every change of the clocks in every zone of this system.
@Suite struct ZoneChangeTests {
  /// A trigger of every day, and which minutes it names.
  struct Row: Sendable, CustomTestStringConvertible {
    let trigger: @Sendable () throws -> CalendarTrigger
    let testDescription: String
    let minutes: Set<Int>
    /// A time that is skipped is due at the gap's end.
    let fillsGaps: Bool
    /// A time that comes twice is due both times.
    let runsTwice: Bool
    /// The longest distance of two dues, in minutes, of a trigger that goes round the clock.
    let period: Int?

    init(
      calendar text: String, _ hours: some Sequence<Int>, _ minutes: some Sequence<Int>, fillsGaps: Bool,
      runsTwice: Bool, period: Int? = nil
    ) {
      self.init({ try SchedulingTests.calendar(text) }, text, hours, minutes, fillsGaps, runsTwice, period)
    }

    init(
      cron text: String, _ hours: some Sequence<Int>, _ minutes: some Sequence<Int>, fillsGaps: Bool,
      runsTwice: Bool, period: Int? = nil
    ) {
      self.init({ try SchedulingTests.cron(text) }, text, hours, minutes, fillsGaps, runsTwice, period)
    }

    private init(
      _ trigger: @escaping @Sendable () throws -> CalendarTrigger, _ text: String,
      _ hours: some Sequence<Int>,
      _ minutes: some Sequence<Int>, _ fillsGaps: Bool, _ runsTwice: Bool, _ period: Int?
    ) {
      self.trigger = trigger
      testDescription = text
      let minutes = Array(minutes)
      self.minutes = Set(hours.flatMap { hour in minutes.map { hour * 60 + $0 } })
      self.fillsGaps = fillsGaps
      self.runsTwice = runsTwice
      self.period = period
    }
  }

  static func every(_ step: Int, below end: Int = 60) -> [Int] { Array(stride(from: 0, to: end, by: step)) }

  static let rows = [
    Row(calendar: "hourly", 0...23, [0], fillsGaps: false, runsTwice: true, period: 60),
    Row(calendar: "*:0/15", 0...23, every(15), fillsGaps: false, runsTwice: true, period: 15),
    Row(calendar: "*:0/7", 0...23, every(7), fillsGaps: false, runsTwice: true, period: 7),
    Row(calendar: "daily", [0], [0], fillsGaps: true, runsTwice: false),
    Row(calendar: "02:30", [2], [30], fillsGaps: true, runsTwice: false),
    Row(calendar: "0..3,23:20,50", [0, 1, 2, 3, 23], [20, 50], fillsGaps: true, runsTwice: false),
    Row(calendar: "1:0/20", [1], every(20), fillsGaps: true, runsTwice: true),
    Row(calendar: "0/2:30", every(2, below: 24), [30], fillsGaps: false, runsTwice: true),
    Row(cron: "*/20 * * * *", 0...23, every(20), fillsGaps: false, runsTwice: true, period: 20),
    Row(cron: "30 2 * * *", [2], [30], fillsGaps: true, runsTwice: false),
    Row(cron: "5 0-4 * * *", 0...4, [5], fillsGaps: true, runsTwice: false),
    Row(cron: "* 1 * * *", [1], 0...59, fillsGaps: true, runsTwice: true),
    Row(cron: "0,30 */3 * * *", every(3, below: 24), [0, 30], fillsGaps: false, runsTwice: true),
  ]

  @Test func `there are hundreds of zones with thousands of changes`() throws {
    let all = try ZoneChange.all()
    #expect(all.count > 3_000)
    #expect(Set(all.map(\.rules.name)).count > 100)
  }

  @Test func `each due is where the rule puts it, once`() throws {
    let triggers = try Self.rows.map { ($0, try $0.trigger()) }
    for change in try ZoneChange.sampled() {
      let minutes = change.minutes()
      for (row, trigger) in triggers {
        let found = change.dues(of: trigger, .adjust)
        let expected = change.expected(row, minutes)
        if found != expected {
          Issue.record("\(row) in \(change): \(found.map(\.rfc3339)), not \(expected.map(\.rfc3339))")
        }
      }
    }
  }

  @Test func `what goes round the clock is never silent for two periods`() throws {
    for row in Self.rows {
      guard let period = row.period else { continue }
      let trigger = try row.trigger()
      for change in try ZoneChange.sampled() {
        let dues = change.dues(of: trigger, .adjust) + [change.end]
        for (due, next) in zip([change.start] + dues, dues) where next - due >= .seconds(2 * 60 * period) {
          // A gap that isn't a whole number of periods shifts a due, by less than a period.
          Issue.record("\(row) in \(change): silent after \(due.rfc3339)")
        }
      }
    }
  }

  @Test func `systemd's walk goes forwards, and to no fixed time twice`() throws {
    let triggers = try Self.rows.map { ($0, try $0.trigger()) }
    // Many times slower than the rule of `adjust`, and compared with systemd itself elsewhere.
    for change in try ZoneChange.sampled(oneIn: 8) {
      for (row, trigger) in triggers {
        let dues = change.dues(of: trigger, .systemd)
        let civil = dues.map { change.rules.civilTime(at: $0) }
        let isForwards = zip([change.start] + dues, dues).allSatisfy { $0 < $1 }
        let isNamed = civil.allSatisfy { row.minutes.contains($0.hour * 60 + $0.minute) }
        let isOnce = row.runsTwice || Set(civil).count == civil.count
        if !isForwards || !isNamed || !isOnce { Issue.record("\(row) in \(change): \(dues.map(\.rfc3339))") }
      }
    }
  }

  @Test func `no month loses its first midnight`() throws {
    let trigger = try calendar("monthly")
    for change in try ZoneChange.sampled() {
      let date = change.rules.civilTime(at: change.start).date
      let (year, month) = date.month == 12 ? (date.year + 1, 1) : (date.year, date.month + 1)
      let first = try #require(CivilDate(year: year, month: month, day: 1))
      let midnight = try #require(CivilTime(date: first, hour: 0, minute: 0, second: 0))
      let due = trigger.next(after: change.start, zone: change.rules, dst: .adjust)
      #expect(due == change.rules.instants(of: midnight).first, "\(change)")
    }
  }
}
