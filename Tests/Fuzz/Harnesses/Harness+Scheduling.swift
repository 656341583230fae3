import Scheduling

extension Harness {
  static let scheduling = [calendar, cron, timeSpan, rfc3339, timeZone]

  private static let start = WallTime(seconds: 1_700_000_000)

  private static let calendar = Harness("calendar") { bytes in
    let text = String(input: bytes)
    guard let expression = try? CalendarExpression(parsing: text, zones: { _ in .utc }) else { return }
    let again = try CalendarExpression(parsing: expression.canonical, zones: { _ in .utc })
    // Zones are all one here, and the canonical form names it UTC.
    try expect(again, equals: expression, "parsing the canonical form is the identity")
    try expect(again.canonical, equals: expression.canonical, "the canonical form is canonical")
    try expectOrder(of: .calendar(expression), in: .utc)
  }

  private static let cron = Harness("cron") { bytes in
    guard let expression = try? CronExpression(parsing: String(input: bytes)) else { return }
    let again = try CronExpression(parsing: expression.canonical)
    try expect(again, equals: expression, "parsing the canonical form is the identity")
    try expectOrder(of: .cron(expression), in: .utc)
  }

  private static let timeSpan = Harness("time-span") { bytes in
    guard let duration = try? Duration(timeSpan: String(input: bytes)) else { return }
    try expect(try Duration(timeSpan: duration.timeSpan), equals: duration, "parse of print is the identity")
  }

  private static let rfc3339 = Harness("rfc3339") { bytes in
    guard let time = WallTime(rfc3339: String(input: bytes)) else { return }
    try expect(WallTime(rfc3339: time.rfc3339), equals: time, "parse of print is the identity")
  }

  private static let timeZone = Harness("tzif") { bytes in
    guard let zone = try? TimeZoneRules(name: "Fuzzed", tzif: bytes) else { return }
    let transitions = Array(zone.transitions(after: WallTime(microseconds: .min)).prefix(50))
    try expect(
      zip(transitions, transitions.dropFirst()).allSatisfy { $0.time < $1.time }, "transitions are in order")
    for time in transitions.map(\.time) + [start, WallTime(microseconds: .max)] {
      try expectTime(time, in: zone)
    }
    try expectOrder(of: .cron(try CronExpression(parsing: "30 2 * * *")), in: zone)
  }

  /// What the wall shows at a time, it shows at that time.
  private static func expectTime(_ time: WallTime, in zone: TimeZoneRules) throws {
    // At the ends of the range civil times are clamped.
    guard abs(time.microseconds) < .max / 2 else { return }
    let civil = zone.civilTime(at: time)
    switch zone.instants(of: civil) {
    case .unique(let instant): try expect(instant, equals: time, "the only instant of \(civil)")
    case .gap(let end):
      throw Violation(description: "\(civil) is shown at \(time), but in a gap before \(end)")
    case .repeated(let first, let second):
      try expect(first < second && zone.civilTime(at: second) == civil, "both instants of \(civil)")
    }
  }

  private static func expectOrder(of trigger: CalendarTrigger, in zone: TimeZoneRules) throws {
    for policy in DaylightSavingPolicy.allCases {
      var time = start
      for _ in 0..<3 {
        guard let due = trigger.next(after: time, zone: zone, dst: policy) else { break }
        try expect(due > time, "\(trigger) is due after \(time.rfc3339), not at \(due.rfc3339)")
        time = due
      }
    }
  }
}
