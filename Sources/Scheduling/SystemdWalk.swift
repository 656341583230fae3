/// Finds dues as systemd 252 does: it walks through the fields from the year to the second, and whenever one
/// has to change, lets mktime(3) say what the clocks show then.
///
/// Its slips are part of it, as whoever brings a timer along expects the same dues: see the section CLOCK
/// CHANGES of nightlatch-job(5).
struct SystemdWalk {
  private let trigger: CalendarTrigger
  private let pattern: CivilPattern
  private var clock: CivilClock
  private let start: BrokenDownTime
  private let startMicrosecond: Int
  private var civil: BrokenDownTime
  private var microsecond: Int
  /// Set once the walk has come back to where it began: from then on mktime(3) is told which side of a change
  /// of the clocks it was on, so that it gets past it.
  private var isStuck = false

  /// systemd's own limit, for expressions that it goes round in circles with.
  private static let longestWalk = 1_000

  private enum Step { case matched, moved, impossible }

  /// Looks for dues at `start` or later, in microseconds since 1970 UTC.
  init(_ trigger: CalendarTrigger, pattern: CivilPattern, from start: Int64, zone: TimeZoneRules) {
    self.trigger = trigger
    self.pattern = pattern
    let second = floorDivide(start, 1_000_000)
    clock = CivilClock(zone, at: second)
    civil = clock.read(at: second)
    microsecond = Int(start - second * 1_000_000)
    (self.start, startMicrosecond) = (civil, microsecond)
  }

  mutating func first() -> Int64? {
    for _ in 0..<Self.longestWalk {
      _ = clock.normalize(&civil)
      if !isStuck { civil.isDaylightSaving = nil }
      switch walk() {
      case .moved: continue
      case .impossible: return nil
      case .matched where isBeforeStart:
        isStuck = true
        civil.hour += 1
      case .matched: return clock.normalize(&civil).map { $0 * 1_000_000 + Int64(microsecond) }
      }
    }
    return nil
  }

  private var isBeforeStart: Bool {
    guard let unit = civil.firstDifference(from: start) else { return microsecond < startMicrosecond }
    return civil[unit] < start[unit]
  }

  /// One walk from the year to the second; ends early where the clocks have to be asked again.
  private mutating func walk() -> Step {
    for unit in BrokenDownTime.Unit.allCases {
      switch step(unit) {
      case .matched where unit == .day && !isOnWeekday(): carry(into: .day)
      case .matched: continue
      case .moved where unit != .year: break
      case .moved: return .impossible
      case .impossible:
        guard let larger = unit.larger else { return .impossible }
        carry(into: larger)
      }
      return .moved
    }
    return .matched
  }

  private mutating func carry(into unit: BrokenDownTime.Unit) {
    civil[unit] += 1
    reset(below: unit)
  }

  private mutating func reset(below unit: BrokenDownTime.Unit) {
    civil.reset(below: unit)
    microsecond = 0
  }

  /// Puts one unit forward to its next match.
  private mutating func step(_ unit: BrokenDownTime.Unit) -> Step {
    let value = unit == .second ? civil.second * 1_000_000 + microsecond : civil[unit]
    guard let next = match(unit, from: value) else { return .impossible }
    if next != value {
      if unit != .second { reset(below: unit) }
      set(unit, to: next)
    }
    return check()
  }

  private mutating func set(_ unit: BrokenDownTime.Unit, to value: Int) {
    guard unit == .second else {
      civil[unit] = value
      return
    }
    (civil.second, microsecond) = value.quotientAndRemainder(dividingBy: 1_000_000)
  }

  /// Whether the clocks show this time at all; if not, goes on with what they show instead.
  private mutating func check() -> Step {
    guard civil.year <= CalendarExpression.years.upperBound else { return .impossible }
    var shown = civil
    guard clock.normalize(&shown) != nil else { return .impossible }
    guard let unit = civil.firstDifference(from: shown) else { return .matched }
    guard shown[unit] > civil[unit] else { return .impossible }
    if let smaller = unit.smaller { shown[smaller] = smaller.lowest }
    civil = shown
    return .moved
  }

  private mutating func isOnWeekday() -> Bool {
    guard case .calendar(let expression) = trigger else { return true }
    let day = floorDivide(civil.secondsSinceEpoch, 86_400)
    return expression.fields.weekdays >> UInt64(CivilDate.weekdayIndex(daysSinceEpoch: day)) & 1 == 1
  }
}

extension SystemdWalk {
  /// The next value of one unit that matches, at least `value`.
  private mutating func match(_ unit: BrokenDownTime.Unit, from value: Int) -> Int? {
    switch trigger {
    case .calendar(let expression): match(expression.fields, unit, from: value)
    case .cron: pattern.first(unit, of: civil, from: value)
    }
  }

  /// A step without an end may lead out of its field, and so into the next larger unit.
  private mutating func match(_ fields: CalendarFields, _ unit: BrokenDownTime.Unit, from value: Int) -> Int?
  {
    let field = fields[unit]
    guard !field.isEmpty else { return value }
    guard unit == .day, fields.daysFromEnd else { return field.first(from: value, limit: .max) }
    return field.compactMap { component in
      let start = dayOfMonth(fromEnd: component.start)
      // Asked even if there is none, since every question has a bearing on the next answer.
      let stop = dayOfMonth(fromEnd: component.stop ?? -1)
      let isRange = stop > 0
      return CalendarComponent(
        start: isRange ? stop : start, stop: isRange && start > 0 ? start : nil, step: component.step
      ).first(from: value)
    }.min()
  }

  /// The day of this month that is so many days from its end; -1 for none.
  private mutating func dayOfMonth(fromEnd day: Int) -> Int {
    var last = civil
    last.month += 1
    last.day = 1 - day
    guard clock.normalize(&last) != nil, last.month == civil.month else { return -1 }
    return last.day
  }
}
