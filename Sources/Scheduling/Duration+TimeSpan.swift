extension Duration {
  /// Reads a time span as systemd does (systemd.time(7), "Parsing Time Spans"): `2h 30min`, `1.5h`, `500ms`;
  /// a bare number is seconds. A year is 365.25 days, a month a twelfth of that. `infinity` is refused.
  public init(timeSpan text: String) throws(ScheduleError) {
    var parser = TimeSpanParser(text)
    self = .microseconds(try parser.microseconds())
  }

  /// This duration as systemd prints it: `2h 30min`, `1.500000s`, `0`; truncated to whole microseconds. A
  /// negative one bears a minus sign.
  public var timeSpan: String {
    var rest = wholeMicroseconds
    if rest < 0 { return "-" + Duration.microseconds(-rest).timeSpan }
    if rest == 0 { return "0" }
    var parts: [String] = []
    for unit in TimeSpanUnit.printed where rest >= unit.microseconds {
      let (whole, remainder) = rest.quotientAndRemainder(dividingBy: unit.microseconds)
      if rest < 60_000_000, remainder > 0 {
        let digits = unit.microseconds == 1_000_000 ? 6 : 3
        parts.append("\(whole).\(padded(remainder, to: digits))\(unit.name)")
        break
      }
      parts.append("\(whole)\(unit.name)")
      rest = remainder
    }
    return parts.joined(separator: " ")
  }
}

/// A unit of time spans, by one of its names.
struct TimeSpanUnit {
  var name: String
  var microseconds: Int64

  private init(_ name: String, _ microseconds: Int64) {
    self.name = name
    self.microseconds = microseconds
  }

  private static let second: Int64 = 1_000_000
  private static let day = 86_400 * second
  /// A twelfth of a year: the manual's 30.44 days.
  private static let month = 2_629_800 * second
  /// 365.25 days.
  private static let year = 31_557_600 * second

  /// Largest first.
  static let printed = [
    TimeSpanUnit("y", year), TimeSpanUnit("month", month), TimeSpanUnit("w", 7 * day),
    TimeSpanUnit("d", day), TimeSpanUnit("h", 3_600 * second), TimeSpanUnit("min", 60 * second),
    TimeSpanUnit("s", second), TimeSpanUnit("ms", 1_000), TimeSpanUnit("us", 1),
  ]

  /// Every name that is read; one that begins with another comes before it.
  static let read: [TimeSpanUnit] = [
    (["seconds", "second", "sec", "s"], second),
    (["minutes", "minute", "min"], 60 * second),
    (["months", "month", "M"], month),
    (["msec", "ms"], 1_000),
    (["m"], 60 * second),
    (["hours", "hour", "hr", "h"], 3_600 * second),
    (["days", "day", "d"], day),
    (["weeks", "week", "w"], 7 * day),
    (["years", "year", "y"], year),
    (["usec", "us", "\u{B5}s", "\u{3BC}s"], 1),
  ].flatMap { names, microseconds in names.map { TimeSpanUnit($0, microseconds) } }
}
