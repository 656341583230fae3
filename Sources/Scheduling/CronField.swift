/// One field of a cron expression, as written.
struct CronField: Hashable {
  enum Kind: String {
    case minute
    case hour
    case day
    case month
    case weekday = "day of the week"

    /// Both 0 and 7 are Sunday.
    var range: ClosedRange<Int> {
      switch self {
      case .minute: 0...59
      case .hour: 0...23
      case .day: 1...31
      case .month: 1...12
      case .weekday: 0...7
      }
    }
  }

  struct Element: Hashable {
    /// Nil for `*`.
    var first: Int?
    /// The end of a range.
    var last: Int?
    var step: Int?
  }

  let kind: Kind
  let elements: [Element]

  /// Vixie's star rule looks at the first character only.
  var startsWithStar: Bool { elements.first.map { $0.first == nil } ?? false }

  /// Whether the field means "again and again" rather than fixed values.
  var repeats: Bool {
    mask.nonzeroBitCount > 1 && elements.contains { $0.first == nil || $0.step != nil }
  }

  /// The bits of all values; bit 0 and bit 7 of a weekday are the same day.
  var mask: UInt64 {
    let range = kind.range
    return elements.reduce(into: 0) { mask, element in
      let first = element.first ?? range.lowerBound
      let isOpen = element.first == nil || element.step != nil
      let last = element.last ?? (isOpen ? range.upperBound : first)
      for value in stride(from: first, through: last, by: element.step ?? 1) {
        mask |= 1 << UInt64(value)
      }
    }
  }

  /// Bit 0 is Monday.
  var mondayMask: UInt64 {
    let sunday = (mask & 1) << 6
    return (mask >> 1 | sunday) & 0x7F
  }

  var canonical: String {
    elements.map { element in
      let first = element.first.map { String($0) } ?? "*"
      let last = element.last.map { "-\($0)" } ?? ""
      let step = element.step.map { "/\($0)" } ?? ""
      return first + last + step
    }.joined(separator: ",")
  }
}
