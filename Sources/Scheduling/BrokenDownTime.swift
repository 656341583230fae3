/// A civil time in parts that may lie out of their ranges, such as 32 January: C's `struct tm`.
struct BrokenDownTime: Hashable {
  var year = 1970
  /// 1 is January.
  var month = 1
  var day = 1
  var hour = 0
  var minute = 0
  var second = 0
  /// Nil when whoever reads the clocks has to find out.
  var isDaylightSaving: Bool?

  /// From large to small.
  enum Unit: Int, CaseIterable {
    case year, month, day, hour, minute, second

    var larger: Unit? { Unit(rawValue: rawValue - 1) }
    var smaller: Unit? { Unit(rawValue: rawValue + 1) }

    /// The smallest value that isn't out of range.
    var lowest: Int { self == .month || self == .day ? 1 : 0 }
  }

  subscript(unit: Unit) -> Int {
    get {
      switch unit {
      case .year: year
      case .month: month
      case .day: day
      case .hour: hour
      case .minute: minute
      case .second: second
      }
    }
    set {
      switch unit {
      case .year: year = newValue
      case .month: month = newValue
      case .day: day = newValue
      case .hour: hour = newValue
      case .minute: minute = newValue
      case .second: second = newValue
      }
    }
  }

  /// Sets every unit that is smaller to its lowest value.
  mutating func reset(below unit: Unit) {
    var next = unit.smaller
    while let smaller = next {
      self[smaller] = smaller.lowest
      next = smaller.smaller
    }
  }

  /// The largest unit in which two times differ.
  func firstDifference(from other: BrokenDownTime) -> Unit? {
    Unit.allCases.first { self[$0] != other[$0] }
  }
}

extension BrokenDownTime {
  /// What clocks with this offset show at `time`, in seconds since 1970 UTC.
  init(_ time: Int64, _ offset: ZoneOffset) {
    let civil = time + offset.seconds
    let date = CivilDate(daysSinceEpoch: floorDivide(civil, 86_400))
    let second = Int(civil - date.daysSinceEpoch * 86_400)
    self.init(
      year: date.year, month: date.month, day: date.day, hour: second / 3_600, minute: second / 60 % 60,
      second: second % 60, isDaylightSaving: offset.isDaylightSaving)
  }

  /// Since 1970-01-01 00:00 on the same wall.
  var secondsSinceEpoch: Int64 {
    let months = Int64(year) * 12 + Int64(month) - 1
    let first = CivilDate(
      uncheckedYear: Int(floorDivide(months, 12)), month: Int(months - floorDivide(months, 12) * 12) + 1,
      day: 1)
    let days = first.daysSinceEpoch + Int64(day) - 1
    return days * 86_400 + Int64(hour) * 3_600 + Int64(minute) * 60 + Int64(second)
  }
}
