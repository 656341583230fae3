/// Five cron fields (crontab(5)): minute, hour, day of month, month, day of week.
///
/// As in Vixie's cron, a day matches if both day fields do when either starts with `*`, else if one of them
/// does; steps restart in each hour, day, month or week; 0 and 7 are Sunday.
public struct CronExpression: Hashable, Sendable {
  let minutes: CronField
  let hours: CronField
  let days: CronField
  let months: CronField
  let weekdays: CronField
  let pattern: CivilPattern

  public init(parsing text: String) throws(ScheduleError) {
    var parser = CronParser(text)
    try parser.expandShorthand()
    minutes = try parser.field(.minute)
    hours = try parser.field(.hour)
    days = try parser.field(.day)
    months = try parser.field(.month)
    weekdays = try parser.field(.weekday)
    try parser.end()
    pattern = CivilPattern(
      years: [], lastYear: nil, months: months.mask,
      days: DayPattern(
        days: days.mask, weekdays: weekdays.mondayMask,
        either: !days.startsWithStar && !weekdays.startsWithStar),
      time: TimePattern(
        hours: hours.mask, minutes: minutes.mask, microseconds: [CalendarComponent(start: 0)]),
      repeatsHours: hours.repeats, repeatsMinutes: minutes.repeats)
  }
}

extension CronExpression: CustomStringConvertible {
  /// Five fields with single blanks, names as numbers, Sunday as 0; parsing it gives an equal expression.
  public var canonical: String {
    [minutes, hours, days, months, weekdays].map(\.canonical).joined(separator: " ")
  }

  public var description: String { canonical }
}
