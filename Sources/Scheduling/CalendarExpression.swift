/// A systemd calendar expression, such as `Mon..Fri *-*-* 09:00`: `OnCalendar=` of systemd 252
/// (systemd.time(7), "Calendar Events").
public struct CalendarExpression: Hashable, Sendable {
  /// The zone that the expression itself names; nil when it leaves that to the schedule.
  public let zone: TimeZoneRules?
  let fields: CalendarFields
  let pattern: CivilPattern

  /// The years that systemd knows.
  static let years = 1970...2199

  /// - Parameters:
  ///   - text: the expression.
  ///   - zones: finds the zone that it may end with.
  public init(parsing text: String, zones: ZoneLookup) throws(ScheduleError) {
    var parser = CalendarParser(text)
    let zone = try parser.zone(zones)
    fields = try parser.fields()
    self.zone = parser.isTimestamp ? .utc : zone
    pattern = CivilPattern(fields)
  }
}

/// An expression's fields as written, normalised as systemd does it.
struct CalendarFields: Hashable {
  /// Bit 0 is Monday; all seven when unrestricted.
  var weekdays: UInt64 = everyWeekday
  var years: CalendarField = []
  var months: CalendarField = []
  var days: CalendarField = []
  /// `~`: days are counted from the month's end, the last being 1.
  var daysFromEnd = false
  var hours: CalendarField = []
  var minutes: CalendarField = []
  /// In microseconds; never empty.
  var seconds: CalendarField = [CalendarComponent(start: 0)]

  static let everyWeekday: UInt64 = 0x7F

  subscript(unit: BrokenDownTime.Unit) -> CalendarField {
    switch unit {
    case .year: years
    case .month: months
    case .day: days
    case .hour: hours
    case .minute: minutes
    case .second: seconds
    }
  }
}

extension CivilPattern {
  init(_ fields: CalendarFields) {
    self.init(
      years: fields.years,
      lastYear: CalendarExpression.years.upperBound,
      months: fields.months.mask(1, through: 12),
      days: DayPattern(
        days: fields.daysFromEnd ? fields.days.maskFromEnd : fields.days.mask(1, through: 31),
        fromEnd: fields.daysFromEnd, weekdays: fields.weekdays),
      time: TimePattern(
        hours: fields.hours.mask(0, through: 23), minutes: fields.minutes.mask(0, through: 59),
        microseconds: fields.seconds),
      repeatsHours: fields.hours.repeats(within: 0...23),
      repeatsMinutes: fields.minutes.repeats(within: 0...59))
  }
}

extension CalendarField {
  /// Bit 1 is the last day of the month. A step runs towards the month's end: `~07/2` is 7, 5, 3, 1.
  fileprivate var maskFromEnd: UInt64 {
    reduce(into: 0) { mask, component in
      let step = component.step ?? 1
      let (from, to) =
        component.stop.map { ($0, component.start) }
        ?? (component.start, component.step == nil ? component.start : 1)
      for value in stride(from: from, through: to, by: -step) { mask |= 1 << UInt64(value) }
    }
  }
}

extension CalendarField {
  /// Whether the field means "again and again" (`*` or a step) rather than fixed values.
  fileprivate func repeats(within range: ClosedRange<Int>) -> Bool {
    isEmpty
      || mask(range.lowerBound, through: range.upperBound).nonzeroBitCount > 1 && contains(where: \.hasStep)
  }
}

extension CalendarComponent {
  /// A range without a step is a list of fixed values, written shorter.
  fileprivate var hasStep: Bool { step != nil && (stop == nil || step != 1) }
}
