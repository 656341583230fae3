import Scheduling
import SeededRandom
import Testing

/// Random texts, most of them almost valid: a parser may refuse them, and what it accepts must hold together.
@Suite struct HostileTextTests {
  private static let alphabet = Array("*,.-/~:@ 0123459 MonFriUTC\u{0}\u{B5}é%smhd\t")

  private func noise(_ random: inout SplitMix) -> String {
    let count = Int.random(in: 0...24, using: &random)
    return String((0..<count).compactMap { _ in Self.alphabet.randomElement(using: &random) })
  }

  private func check(_ trigger: CalendarTrigger, again: (String) throws -> CalendarTrigger) throws {
    #expect(try again(trigger.canonical) == trigger)
    let start = WallTime(seconds: 1_700_000_000)
    for dst in DaylightSavingPolicy.allCases {
      let dues = trigger.dues(3, after: start, dst: dst)
      #expect(zip([start] + dues, dues).allSatisfy { $0 < $1 }, "\(trigger)")
    }
  }

  @Test func `a calendar expression is refused or printed in a form that reads the same`() throws {
    var random = SplitMix(state: 3)
    var generator = ExpressionGenerator(seed: 4)
    for index in 0..<3_000 {
      let text = index % 3 == 0 ? noise(&random) : generator.expression()
      guard let trigger = try? calendar(text) else { continue }
      try check(trigger) { try calendar($0) }
    }
  }

  @Test func `a cron expression is refused or printed in a form that reads the same`() throws {
    var random = SplitMix(state: 5)
    for index in 0..<2_000 {
      let fields = [0...59, 0...23, 1...31, 1...12, 0...7].map { random.field($0).text }
      let text = index % 3 == 0 ? noise(&random) : fields.joined(separator: " ")
      guard let trigger = try? cron(text) else { continue }
      try check(trigger) { try cron($0) }
    }
  }

  @Test func `a time span or a time is refused or printed in a form that reads the same`() throws {
    var random = SplitMix(state: 6)
    for _ in 0..<5_000 {
      let text = noise(&random)
      if let duration = try? Duration(timeSpan: text) {
        #expect(try Duration(timeSpan: duration.timeSpan) == duration, "\(text)")
      }
      let instant = WallTime(microseconds: Int64(bitPattern: random.next()))
      #expect(WallTime(rfc3339: instant.rfc3339) == instant)
      #expect(WallTime(rfc3339: text) == nil)
    }
  }

  @Test func `a long text is read in one pass`() {
    let digits = String(repeating: "9", count: 50_000)
    #expect(throws: ScheduleError.self) { try calendar(digits + ":00") }
    #expect(throws: ScheduleError.self) { try calendar(String(repeating: "1,", count: 50_000) + "1:00") }
    #expect(throws: ScheduleError.self) { try calendar("*:*:0." + digits + "x") }
    #expect(throws: ScheduleError.self) { try cron(String(repeating: "* ", count: 50_000)) }
    #expect(throws: ScheduleError.self) { try Duration(timeSpan: digits + "s") }
    #expect(throws: ScheduleError.self) {
      try Duration(timeSpan: String(repeating: "1s", count: 50_000) + "x")
    }
    #expect(WallTime(rfc3339: digits) == nil)
  }
}
