import Scheduling

/// When an expression will be due: the same functions that the scheduler asks.
nonisolated struct SchedulePreview {
  private let trigger: Trigger
  private let zone: TimeZoneRules
  private let daylightSaving: DaylightSavingPolicy

  nonisolated enum Grammar: Hashable, Sendable {
    case calendar, cron, every
  }

  private enum Trigger {
    /// `civil` is the same expression without a zone: what the clock on the wall shows when it is due.
    case wallClock(CalendarTrigger, civil: CalendarTrigger)
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
    switch grammar {
    case .calendar:
      let expression = try CalendarExpression(parsing: text, zones: zones)
      let civil = try CalendarExpression(parsing: text) { _ in .utc }
      self.zone = expression.zone ?? zone
      trigger = .wallClock(.calendar(expression), civil: .calendar(civil))
    case .cron:
      let expression = try CronExpression(parsing: text)
      self.zone = zone
      trigger = .wallClock(.cron(expression), civil: .cron(expression))
    case .every:
      let interval = try Duration(timeSpan: text)
      self.zone = zone
      trigger = .interval(interval)
    }
  }

  var canonical: String {
    switch trigger {
    case .wallClock(let trigger, _): trigger.canonical
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
    case .wallClock(let trigger, _): trigger.next(after: time, zone: zone, dst: daylightSaving)
    case .interval(let interval):
      interval > .zero && (time + interval).microseconds < .max ? time + interval : nil
    }
  }
}

extension SchedulePreview {
  /// A stretch of wall-clock time that a zone skips or shows twice, and that a schedule falls into.
  nonisolated struct Anomaly: Hashable, Sendable {
    var kind: Kind
    /// When the clocks change.
    var time: WallTime
    var zone: String
    /// What the clock shows at the stretch's start and end.
    var from: WallTime
    var to: WallTime

    nonisolated enum Kind: String, Hashable, Sendable {
      case gap
      case repeated
    }
  }

  /// The next anomalies after `base` that touch the schedule, at most `count`, among the zone's next twenty
  /// changes.
  nonisolated func anomalies(after base: WallTime, count: Int) -> [Anomaly] {
    guard case .wallClock(_, let civil) = trigger else { return [] }
    let near = zone.transitions(after: base).lazy.prefix(20)
    let touching = near.compactMap { anomaly($0) }.filter { anomaly in
      let last = anomaly.from - .microseconds(1)
      return civil.next(after: last, zone: .utc, dst: .systemd).map { $0 < anomaly.to } ?? false
    }
    return Array(touching.prefix(count))
  }

  nonisolated private func anomaly(_ transition: ZoneTransition) -> Anomaly? {
    guard transition.shift != .zero,
      case .unique(let after) = TimeZoneRules.utc.instants(of: zone.civilTime(at: transition.time))
    else { return nil }
    let before = after - transition.shift
    return Anomaly(
      kind: before < after ? .gap : .repeated, time: transition.time, zone: zone.name,
      from: min(before, after), to: max(before, after))
  }
}
