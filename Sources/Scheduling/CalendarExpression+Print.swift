extension CalendarExpression: CustomStringConvertible {
  /// The form that `systemd-analyze calendar` prints as normalized; parsing it gives an equal expression.
  public var canonical: String {
    let days = fields.weekdays == CalendarFields.everyWeekday ? "" : weekdayList + " "
    let date =
      "\(list(fields.years, width: 4))-\(list(fields.months, width: 2))"
      + "\(fields.daysFromEnd ? "~" : "-")\(list(fields.days, width: 2))"
    let time = "\(list(fields.hours, width: 2)):\(list(fields.minutes, width: 2)):\(seconds)"
    return days + date + " " + time + (zone.map { " " + $0.name } ?? "")
  }

  public var description: String { canonical }

  /// Three or more neighbours are a range, two are a list.
  private var weekdayList: String {
    var runs: [ClosedRange<Int>] = []
    for day in 0..<7 where fields.weekdays >> UInt64(day) & 1 == 1 {
      if let last = runs.last, last.upperBound == day - 1 {
        runs[runs.count - 1] = last.lowerBound...day
      } else {
        runs.append(day...day)
      }
    }
    let names = WeekdayName.short
    return runs.map { run in
      switch run.count {
      case 1: names[run.lowerBound]
      case 2: "\(names[run.lowerBound]),\(names[run.upperBound])"
      default: "\(names[run.lowerBound])..\(names[run.upperBound])"
      }
    }.joined(separator: ",")
  }

  private func list(_ field: CalendarField, width: Int) -> String {
    guard !field.isEmpty else { return "*" }
    return field.map { component in
      var text = padded(component.start, to: width)
      if let stop = component.stop { text += ".." + padded(stop, to: width) }
      if let step = component.step, component.stop == nil || step != 1 { text += "/\(step)" }
      return text
    }.joined(separator: ",")
  }

  private var seconds: String {
    let second = 1_000_000
    if fields.seconds == [CalendarComponent(start: 0, step: second)] { return "*" }
    return fields.seconds.map { component in
      var text = decimal(component.start, width: 2)
      if let stop = component.stop { text += ".." + decimal(stop, width: 2) }
      if let step = component.step, component.stop == nil || step != second {
        text += "/" + decimal(step, width: 1)
      }
      return text
    }.joined(separator: ",")
  }

  private func decimal(_ microseconds: Int, width: Int) -> String {
    let (second, fraction) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
    return padded(second, to: width) + (fraction > 0 ? "." + padded(fraction, to: 6) : "")
  }
}
