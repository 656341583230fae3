/// The rule for the years after the last transition of a TZif file: the value of a POSIX `TZ` variable with
/// the extensions of RFC 9636, section 3.3.1: `CET-1CEST,M3.5.0,M10.5.0/3`.
struct POSIXZoneRule: Hashable {
  var standard: ZoneOffset
  var daylight: DaylightPeriod?

  struct DaylightPeriod: Hashable {
    var offset: ZoneOffset
    var start: YearlyInstant
    var end: YearlyInstant
  }

  /// A moment of each year, on a wall that shows the offset before the change.
  struct YearlyInstant: Hashable {
    var day: YearlyDay
    /// Seconds after midnight: up to a week before or after.
    var time: Int64
  }

  enum YearlyDay: Hashable {
    /// `Jn`: 1 to 365; 29 February isn't counted.
    case julian(Int64)
    /// `n`: 0 to 365; 29 February is counted.
    case zeroBased(Int64)
    /// `Mm.w.d`: 0 is Sunday, week 5 is the last.
    case weekday(month: Int, week: Int, day: Int)
  }
}

extension POSIXZoneRule {
  /// All changes of the years from `first` to `last`, in order. Of two at the same instant the later
  /// in the calendar wins, which makes daylight saving permanent where a rule says so.
  func changes(
    _ period: DaylightPeriod, from first: Int, through last: Int
  ) -> [(time: Int64, offset: ZoneOffset)] {
    var changes: [(time: Int64, offset: ZoneOffset)] = []
    for year in first...last {
      let start = period.start.seconds(in: year) - standard.seconds
      let end = period.end.seconds(in: year) - period.offset.seconds
      let yearly = [(time: start, offset: period.offset), (time: end, offset: standard)]
      for change in start <= end ? yearly : yearly.reversed() {
        while let previous = changes.last, previous.time >= change.time { changes.removeLast() }
        changes.append(change)
      }
    }
    return changes
  }
}

extension POSIXZoneRule.YearlyInstant {
  /// Seconds from 1970-01-01 00:00 on the wall.
  func seconds(in year: Int) -> Int64 { day.daysSinceEpoch(in: year) * 86_400 + time }
}

extension POSIXZoneRule.YearlyDay {
  func daysSinceEpoch(in year: Int) -> Int64 {
    let newYear = CivilDate(uncheckedYear: year, month: 1, day: 1).daysSinceEpoch
    switch self {
    case .julian(let day):
      return newYear + day - (CivilDate.isLeap(year: year) && day >= 60 ? 0 : 1)
    case .zeroBased(let day):
      return newYear + day
    case .weekday(let month, let week, let day):
      let first = CivilDate(uncheckedYear: year, month: month, day: 1).daysSinceEpoch
      // The rule counts from Sunday, the calendar here from Monday.
      let distance = (day + 6 - CivilDate.weekdayIndex(daysSinceEpoch: first) + 7) % 7
      let date = distance + (week - 1) * 7
      let length = CivilDate.length(ofMonth: month, year: year)
      return first + Int64(date >= length ? date - 7 : date)
    }
  }
}
