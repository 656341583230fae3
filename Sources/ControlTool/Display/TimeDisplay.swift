import Scheduling

/// Times as people say them: in the local zone, near ones by their distance.
nonisolated struct TimeDisplay {
  var now: WallTime
  var zone: TimeZoneRules

  /// `in 3min`, `2h 5min ago`, `now`.
  func relative(_ time: WallTime) -> String {
    let distance = time - now
    if abs(distance.wholeMicroseconds) < 1_000_000 { return "now" }
    return distance > .zero ? "in " + rough(distance) : rough(.zero - distance) + " ago"
  }

  /// `today 14:15:00`, `tomorrow 02:00:00`, `Wed 2 Dec 09:30`, `2027-03-14 02:00:30`.
  func absolute(_ time: WallTime) -> String {
    let civil = zone.civilTime(at: time)
    let near = nearDay(civil.date)
    let seconds = civil.second == 0 && near == nil ? "" : ":\(two(civil.second))"
    let clock = "\(two(civil.hour)):\(two(civil.minute))\(seconds)"
    if let near { return "\(near) \(clock)" }
    let (year, month, day) = (civil.date.year, civil.date.month, civil.date.day)
    guard abs((time - now).wholeMicroseconds) < Self.halfYear else {
      return "\(year)-\(two(month))-\(two(day)) \(clock)"
    }
    return "\(Self.weekdays[civil.date.weekday - 1]) \(day) \(Self.months[month - 1]) \(clock)"
  }

  /// `Tue 2026-12-01 02:30:00 CET`: to the microsecond, and in a zone, as systemd-analyze(1) prints it.
  func precise(_ time: WallTime) -> String {
    let civil = zone.civilTime(at: time)
    let date = "\(civil.date.year)-\(two(civil.date.month))-\(two(civil.date.day))"
    var fraction = civil.microsecond == 0 ? "" : ".\(String(civil.microsecond + 1_000_000).dropFirst())"
    while fraction.last == "0" { fraction.removeLast() }
    let clock = "\(two(civil.hour)):\(two(civil.minute)):\(two(civil.second))\(fraction)"
    return "\(Self.weekdays[civil.date.weekday - 1]) \(date) \(clock) \(zone.offset(at: time).abbreviation)"
  }

  private func nearDay(_ date: CivilDate) -> String? {
    let today = zone.civilTime(at: now).date
    if date == today { return "today" }
    if date == following(today) { return "tomorrow" }
    return following(date) == today ? "yesterday" : nil
  }

  private func following(_ date: CivilDate) -> CivilDate? {
    CivilDate(year: date.year, month: date.month, day: date.day + 1)
      ?? CivilDate(year: date.year, month: date.month + 1, day: 1)
      ?? CivilDate(year: date.year + 1, month: 1, day: 1)
  }

  /// `today 14:15:00 (in 3min)`.
  func full(_ time: WallTime) -> String { "\(absolute(time)) (\(relative(time)))" }

  /// One or two units, the rest dropped: `12s`, `3min`, `2h 5min`, `4d 3h`, `7 weeks`, `3 years`.
  func rough(_ duration: Duration) -> String {
    let seconds = (duration.wholeMicroseconds + 500_000) / 1_000_000
    return switch seconds {
    case ..<60: "\(seconds)s"
    case ..<3600: "\(seconds / 60)min"
    case ..<86_400: pair(seconds / 3600, "h", seconds / 60 % 60, "min")
    case ..<(14 * 86_400): pair(seconds / 86_400, "d", seconds / 3600 % 24, "h")
    case ..<(365 * 86_400): "\(seconds / (7 * 86_400)) weeks"
    default: seconds < 2 * 365 * 86_400 ? "1 year" : "\(seconds / (365 * 86_400)) years"
    }
  }

  /// How long something took: `350ms`, `1.2s`, `2min 3s`.
  func exact(_ duration: Duration) -> String {
    let milliseconds = duration.wholeMicroseconds / 1_000
    return switch milliseconds {
    case ..<1_000: "\(milliseconds)ms"
    case ..<60_000: "\(milliseconds / 1_000).\(milliseconds / 100 % 10)s"
    case ..<3_600_000: pair(milliseconds / 60_000, "min", milliseconds / 1_000 % 60, "s")
    default: rough(duration)
    }
  }

  private func pair(_ first: Int64, _ unit: String, _ second: Int64, _ smaller: String) -> String {
    second == 0 ? "\(first)\(unit)" : "\(first)\(unit) \(second)\(smaller)"
  }

  private func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

  private static let halfYear: Int64 = 182 * 86_400_000_000
  private static let weekdays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]
}
