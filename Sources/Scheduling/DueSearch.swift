/// Finds the instants at which a zone's clocks show a civil time of a pattern. All times in microseconds.
struct DueSearch {
  private let trigger: CalendarTrigger
  private let pattern: CivilPattern
  private let zone: TimeZoneRules
  private let start: Int64
  private let lastYear: Int

  /// Looks for dues at `start` or later.
  init(_ trigger: CalendarTrigger, from start: Int64, zone: TimeZoneRules) {
    self.start = start
    self.trigger = trigger
    switch trigger {
    case .calendar(let expression):
      pattern = expression.pattern
      self.zone = expression.zone ?? zone
    case .cron(let expression):
      pattern = expression.pattern
      self.zone = zone
    }
    lastYear = pattern.lastYear(from: start)
  }

  /// A due that is put forward over runs at the gap's end.
  private var fillsGaps: Bool { !pattern.repeatsHours }

  /// A due in a repeated stretch runs both times.
  private var runsTwice: Bool { pattern.repeatsHours || pattern.repeatsMinutes }

  private func first(from civil: Int64) -> Int64? { pattern.first(from: civil, through: lastYear) }
}

extension DueSearch {
  /// The rule of ``DaylightSavingPolicy/adjust``, segment by segment of constant offset.
  func adjusted() -> WallTime? {
    var matches = MatchSearch(pattern, through: lastYear)
    var segment = zone.segment(at: start)
    var instant = start
    while true {
      if let due = gapDue(segment, entering: instant, &matches) { return due }
      let civil = matches.first(from: firstCivil(segment, from: instant))
      if let civil, segment.contains(segment.instant(of: civil)) {
        return WallTime(microseconds: segment.instant(of: civil))
      }
      let end = segment.endMicroseconds
      // Close to the segment's end the next one may show again what lies behind `instant`.
      let isClose = saturatingAdd(end, -instant) < 2 * TimeZoneRules.widestShift
      guard isClose || civil != nil, end < .max else { return nil }
      let target =
        isClose ? end : saturatingAdd(segment.instant(of: civil ?? end), -2 * TimeZoneRules.widestShift)
      segment = zone.segment(at: max(end, target))
      instant = segment.startMicroseconds
    }
  }

  /// A due in the gap that ends with the segment's start.
  private func gapDue(
    _ segment: ZoneSegment, entering instant: Int64, _ matches: inout MatchSearch
  ) -> WallTime? {
    guard fillsGaps, instant == segment.startMicroseconds, let highWater = segment.highWater
    else { return nil }
    let first = saturatingMultiply(highWater, 1_000_000)
    let end = segment.civil(at: instant)
    guard first < end, let due = matches.first(from: first), due < end else { return nil }
    return WallTime(microseconds: instant)
  }

  /// Where to begin in a segment: after what earlier segments have shown, unless that runs twice.
  private func firstCivil(_ segment: ZoneSegment, from instant: Int64) -> Int64 {
    let civil = segment.civil(at: instant)
    guard !runsTwice, let highWater = segment.highWater else { return civil }
    return max(civil, saturatingMultiply(highWater, 1_000_000))
  }
}

extension DueSearch {
  /// The rule of ``DaylightSavingPolicy/systemd``.
  ///
  /// Where systemd goes round in circles and gives up, its timer is dead; here the next time that exists is
  /// taken. An expression that names no time at all needs no walk.
  func asSystemd() -> WallTime? {
    var civil = zone.segment(at: start).civil(at: start)
    guard first(from: civil) != nil else { return nil }
    var walk = SystemdWalk(trigger, pattern: pattern, from: start, zone: zone)
    if let due = walk.first(), due >= start { return WallTime(microseconds: due) }
    while let found = first(from: civil) {
      switch zone.instants(ofCivil: found) {
      case .unique(let time) where time.microseconds >= start: return time
      case .repeated(let first, _) where first.microseconds >= start: return first
      case .repeated(_, let second) where second.microseconds >= start: return second
      case .gap(let end): civil = zone.segment(at: end.microseconds).civil(at: end.microseconds)
      case .unique, .repeated: civil = saturatingAdd(found, 1)
      }
      if civil == .max { return nil }
    }
    return nil
  }
}
