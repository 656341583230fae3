import Scheduling

/// A stretch of wall-clock time that a zone skips or shows twice, and that a schedule falls into. What clocks on
/// the wall show is written as the time in UTC at which a clock there shows the same.
nonisolated struct ClockAnomaly: Hashable, Sendable {
  var kind: Kind
  /// When the clocks change.
  var time: WallTime
  var zone: TimeZoneRules
  var daylightSaving: DaylightSavingPolicy
  /// What the clock shows at the stretch's start and end.
  var from: WallTime
  var to: WallTime
  /// What it would show when the schedule is first due within.
  var due: WallTime
  /// Whether the schedule is due once within, by that clock.
  var isSingle: Bool
  var effect: Effect

  nonisolated enum Kind: String, Hashable, Sendable {
    case gap
    /// A gap that swallows the midnight of a day.
    case missingMidnight = "missing-midnight"
    case repeated
  }

  /// What becomes of the dues within.
  nonisolated enum Effect: Hashable, Sendable {
    /// They are one run at the end of the gap.
    case moved(to: WallTime)
    /// The next run is another one; nil when there is none.
    case skipped(next: WallTime?)
    /// They run the first time only.
    case first
    case both
  }

  /// Whether the schedule goes on through the stretch as it does before it.
  var isSteady: Bool
}

nonisolated extension ClockAnomaly {
  /// What happens, in one sentence without its end.
  var text: String {
    let subject = isSingle ? clock(due) : "what is due from \(clock(from)) to \(clock(to))"
    let place = "on \(date(due)) in \(zone.name)"
    let policy = "(dst = \(daylightSaving.rawValue))"
    return switch kind {
    case .gap: "\(subject) does not exist \(place); \(outcome) \(policy)"
    case .missingMidnight:
      "\(subject) does not exist \(place), a day without a midnight; \(outcome) \(policy)"
    case .repeated: "\(subject) comes twice \(place); \(outcome) \(policy)"
    }
  }

  private var outcome: String {
    switch effect {
    case .moved(let run): "it runs at \(shown(run))"
    case .skipped(let next?): "it is skipped, and the next run is at \(shown(next))"
    case .skipped(nil): "it is skipped, and there is no later one"
    case .first: "it runs the first time only"
    case .both: "it runs both times"
    }
  }

  /// The time of day if it is of the same date as the due, else with its date.
  private func shown(_ run: WallTime) -> String {
    let civil = zone.shown(at: run)
    return date(civil) == date(due) ? clock(civil) : "\(date(civil)) \(clock(civil))"
  }

  private func date(_ civil: WallTime) -> String { String(civil.rfc3339.prefix { $0 != "T" }) }

  private func clock(_ civil: WallTime) -> String {
    let time = String(civil.rfc3339.drop { $0 != "T" }.dropFirst().dropLast())
    return time.hasSuffix(":00") ? String(time.dropLast(3)) : time
  }
}

nonisolated extension TimeZoneRules {
  /// What a clock in the zone shows, as the time in UTC at which a clock there shows the same.
  func shown(at time: WallTime) -> WallTime { time + offset(at: time).duration }
}
