import Scheduling

nonisolated extension CalendarTrigger {
  /// The next changes of the clocks after `base` that touch the schedule, at most `count`, among the zone's next
  /// twenty changes.
  func anomalies(
    after base: WallTime, count: Int, zone: TimeZoneRules, daylightSaving: DaylightSavingPolicy
  ) -> [ClockAnomaly] {
    guard let civil else { return [] }
    let zone = ownZone ?? zone
    let near = zone.transitions(after: base).lazy.prefix(20)
    let touching = near.compactMap { anomaly($0, zone, daylightSaving, civil) }
    return Array(touching.prefix(count))
  }

  private var ownZone: TimeZoneRules? {
    if case .calendar(let expression) = self { expression.zone } else { nil }
  }

  /// The same expression in UTC: what the clock on the wall shows when it is due.
  private var civil: CalendarTrigger? {
    guard case .calendar(let expression) = self, expression.zone != nil else { return self }
    do throws(ScheduleError) {
      return .calendar(try CalendarExpression(parsing: expression.canonical) { _ in .utc })
    } catch {
      return nil
    }
  }

  private func anomaly(
    _ change: ZoneTransition, _ zone: TimeZoneRules, _ dst: DaylightSavingPolicy, _ civil: CalendarTrigger
  ) -> ClockAnomaly? {
    let after = zone.shown(at: change.time)
    let before = after - change.shift
    let (from, to) = (min(before, after), max(before, after))
    guard from < to, let due = civil.firstInUTC(from: from), due < to else { return nil }
    let next = civil.firstInUTC(from: due + .microseconds(1))
    let effect =
      before < after
      ? effect(ofGapBefore: change.time, dst, zone, isDueAtEnd: civil.firstInUTC(from: to) == to)
      : effect(ofRepetitionAt: change.time, for: to - from, dst, zone)
    // What is due as often before the stretch as within it goes on by its own beat.
    let isFrequent = civil.firstInUTC(from: from - (to - from)).map { $0 < from } ?? false
    return ClockAnomaly(
      kind: before > after ? .repeated : hasMidnight(from, to) ? .missingMidnight : .gap,
      time: change.time, zone: zone, daylightSaving: dst, from: from, to: to, due: due,
      isSingle: next.map { $0 >= to } ?? true, effect: effect,
      isSteady: before > after ? effect == .both : isFrequent)
  }

  private func effect(
    ofGapBefore end: WallTime, _ dst: DaylightSavingPolicy, _ zone: TimeZoneRules, isDueAtEnd: Bool
  ) -> ClockAnomaly.Effect {
    let run = next(after: end - .microseconds(1), zone: zone, dst: dst)
    return run == end && !isDueAtEnd ? .moved(to: end) : .skipped(next: run)
  }

  private func effect(
    ofRepetitionAt change: WallTime, for length: Duration, _ dst: DaylightSavingPolicy, _ zone: TimeZoneRules
  ) -> ClockAnomaly.Effect {
    // A search that begins there would stay in the second pass; the scheduler comes from before it.
    guard dst == .adjust, let run = next(after: change - .microseconds(1), zone: zone, dst: dst)
    else { return .first }
    return run < change + length ? .both : .first
  }

  private func firstInUTC(from time: WallTime) -> WallTime? {
    next(after: time - .microseconds(1), zone: .utc, dst: .systemd)
  }

  /// Whether the start of a day lies in `from ..< to`.
  private func hasMidnight(_ from: WallTime, _ to: WallTime) -> Bool {
    let day: Int64 = 86_400_000_000
    let last = to.microseconds - 1
    return last - last.quotientAndRemainder(dividingBy: day).remainder >= from.microseconds
  }
}
