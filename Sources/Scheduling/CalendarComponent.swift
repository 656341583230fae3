/// One element of a field's list: a value, or values repeated up to a last one or to the field's end.
struct CalendarComponent: Hashable, Comparable {
  var start: Int
  /// The last value; nil when there is no range.
  var stop: Int?
  /// The distance between values; nil for a single value.
  var step: Int?

  init(start: Int, stop: Int? = nil, step: Int? = nil) {
    self.start = start
    self.stop = stop
    self.step = step
  }

  /// The smallest value of this component that is at least `value`, and at most `limit` if given.
  func first(from value: Int, limit: Int = .max) -> Int? {
    guard value > start else { return start <= limit ? start : nil }
    guard let step else { return nil }
    let next = value + (step - (value - start) % step) % step
    return next <= min(stop ?? limit, limit) ? next : nil
  }

  /// systemd's order, in which no range comes before any.
  static func < (left: CalendarComponent, right: CalendarComponent) -> Bool {
    (left.start, left.stop ?? -1, left.step ?? 0) < (right.start, right.stop ?? -1, right.step ?? 0)
  }
}

/// A field's list; empty for `*`.
typealias CalendarField = [CalendarComponent]

extension CalendarField {
  /// The bits of all values up to `highest`, at most 63.
  func mask(_ lowest: Int, through highest: Int) -> UInt64 {
    guard !isEmpty else { return bits(lowest, through: highest) }
    return reduce(into: 0) { mask, component in
      let last = Swift.min(component.stop ?? highest, highest)
      guard component.start <= highest else { return }
      let end = component.step == nil ? component.start : last
      for value in stride(from: component.start, through: end, by: component.step ?? 1) {
        mask |= 1 << UInt64(value)
      }
    }
  }

  /// The smallest value that is at least `value`, and at most `limit`.
  func first(from value: Int, limit: Int) -> Int? {
    var smallest: Int?
    for component in self {
      if let next = component.first(from: value, limit: limit), next < smallest ?? .max {
        smallest = next
      }
    }
    return smallest
  }
}

/// The bits from `lowest` to `highest`, at most 63.
func bits(_ lowest: Int, through highest: Int) -> UInt64 {
  (UInt64.max >> UInt64(63 - highest)) & (UInt64.max << UInt64(lowest))
}
