import Scheduling

/// When an expression will be due: the same functions that the scheduler asks.
nonisolated struct SchedulePreview {
  private let trigger: Trigger
  /// The expression's own zone, or else the one it was given.
  let zone: TimeZoneRules
  private let daylightSaving: DaylightSavingPolicy

  nonisolated enum Grammar: Hashable, Sendable {
    case calendar, cron, every
  }

  private enum Trigger {
    case wallClock(CalendarTrigger)
    case interval(Duration)
  }

  /// - Parameters:
  ///   - zone: for an expression that names none.
  ///   - zones: finds the zone that an expression names.
  init(
    _ text: String, grammar: Grammar, zone: TimeZoneRules, daylightSaving: DaylightSavingPolicy,
    zones: (String) -> TimeZoneRules?
  ) throws(ScheduleError) {
    self.daylightSaving = daylightSaving
    var ownZone: TimeZoneRules?
    switch grammar {
    case .calendar:
      let expression = try CalendarExpression(parsing: text, zones: zones)
      ownZone = expression.zone
      trigger = .wallClock(.calendar(expression))
    case .cron:
      trigger = .wallClock(.cron(try CronExpression(parsing: text)))
    case .every:
      trigger = .interval(try Duration(timeSpan: text))
    }
    self.zone = ownZone ?? zone
  }

  var canonical: String {
    switch trigger {
    case .wallClock(let trigger): trigger.canonical
    case .interval(let interval): interval.timeSpan
    }
  }

  /// The next dues after `base`; fewer than `count` when there are no more.
  func elapses(after base: WallTime, count: Int) -> [WallTime] {
    var elapses: [WallTime] = []
    while elapses.count < count, let next = next(after: elapses.last ?? base) { elapses.append(next) }
    return elapses
  }

  private func next(after time: WallTime) -> WallTime? {
    switch trigger {
    case .wallClock(let trigger): trigger.next(after: time, zone: zone, dst: daylightSaving)
    case .interval(let interval):
      interval > .zero && (time + interval).microseconds < .max ? time + interval : nil
    }
  }

  /// The next clock changes after `base` that touch the schedule, at most `count`.
  func anomalies(after base: WallTime, count: Int) -> [ClockAnomaly] {
    guard case .wallClock(let trigger) = trigger else { return [] }
    return trigger.anomalies(after: base, count: count, zone: zone, daylightSaving: daylightSaving)
  }
}
