/// A field's list as it stands in the text.
struct WrittenList {
  /// Empty for `*`.
  var components: CalendarField = []
  /// Where each begins.
  var positions: [Int] = []

  /// With two-digit years written out: 70 to 99 are 1970 to 1999, 0 to 69 are 2000 to 2069.
  var withCenturies: WrittenList {
    func year(_ value: Int) -> Int { value < 70 ? value + 2_000 : value < 100 ? value + 1_900 : value }
    var list = self
    list.components = components.map { component in
      CalendarComponent(
        start: year(component.start), stop: component.stop.map(year), step: component.step)
    }
    return list
  }
}

/// A field's name and range.
enum CalendarFieldKind: String {
  case year
  case month
  case day
  case dayFromEnd = "day from the month's end"
  case hour
  case minute
  case second

  var range: ClosedRange<Int> {
    switch self {
    case .year: CalendarExpression.years
    case .month: 1...12
    case .day: 1...31
    // In every month there are 28 days to count back from the end.
    case .dayFromEnd: 1...28
    case .hour: 0...23
    case .minute: 0...59
    case .second: 0...TimePattern.microsecondsPerMinute - 1
    }
  }
}

extension CalendarParser {
  /// `HH:MM[:SS]`; midnight when nothing is left.
  mutating func time(_ fields: inout CalendarFields) throws(ScheduleError) {
    guard !cursor.isAtEnd else {
      fields.hours = [CalendarComponent(start: 0)]
      fields.minutes = [CalendarComponent(start: 0)]
      return
    }
    fields.hours = try normalized(list(), .hour)
    guard cursor.take(":") else { throw failure(.expected("\":\" after the hour")) }
    fields.minutes = try normalized(list(), .minute)
    guard !cursor.isAtEnd else { return }
    guard cursor.take(":") else { throw failure(.expected("\":\" after the minute")) }
    let seconds = try list(unit: 1_000_000)
    fields.seconds = try normalized(seconds, .second)
    let every = CalendarComponent(start: 0, step: 1_000_000)
    if fields.seconds.isEmpty || fields.seconds.areCovered(by: every) { fields.seconds = [every] }
  }

  /// `*` or a list of components. `unit` is 1,000,000 where values have six decimals.
  mutating func list(unit: Int = 1) throws(ScheduleError) -> WrittenList {
    var list = WrittenList()
    guard !cursor.take("*") else { return list }
    repeat {
      // systemd's limit.
      if list.components.count > 240 { throw failure(.tooManyElements) }
      list.positions.append(cursor.position)
      list.components.append(try component(unit: unit))
    } while cursor.take(",")
    if let next = cursor.next, !" -~:".utf8.contains(next) {
      throw failure(.expected("\",\" or the end of the field"))
    }
    return list
  }

  private mutating func component(unit: Int) throws(ScheduleError) -> CalendarComponent {
    let start = cursor.position
    var component = CalendarComponent(start: try value(unit: unit))
    if cursor.take(word: "..") {
      component.stop = try value(unit: unit)
      component.step = unit
    }
    let slash = cursor.position
    if cursor.take("/") {
      let step = try value(unit: unit)
      guard step > 0 else { throw failure(.zeroStep, at: slash + 1) }
      component.step = step
    } else if unit > 1, let stop = component.stop, stop < component.start + unit {
      // Unlike other fields, seconds must reach a second value here: `5..5` is refused, `5..5/1` isn't.
      throw failure(.nothingToRepeat(field: CalendarFieldKind.second.rawValue), at: start)
    }
    return component
  }

  private mutating func value(unit: Int) throws(ScheduleError) -> Int {
    guard let first = cursor.next, isDigit(first) else { throw failure(.expected("a number")) }
    // What systemd's 32-bit values can hold; each field's range is narrower.
    let limit = Int64(Int32.max) / Int64(unit)
    let start = cursor.position
    guard let whole = cursor.number(upTo: limit) else { throw failure(.overflow, at: start) }
    let value = Int(whole) * unit
    guard unit > 1, cursor.next == UInt8(ascii: "."), cursor.peek(1) != UInt8(ascii: ".")
    else { return value }
    cursor.position += 1
    return value + (try sixDecimals())
  }

  /// Rounds what follows the sixth digit.
  private mutating func sixDecimals() throws(ScheduleError) -> Int {
    var value = 0
    var unit = 100_000
    guard let first = cursor.next, isDigit(first) else { throw failure(.expected("a digit")) }
    while unit > 0, let byte = cursor.next, isDigit(byte) {
      value += Int(byte - UInt8(ascii: "0")) * unit
      unit /= 10
      cursor.position += 1
    }
    if let byte = cursor.next, isDigit(byte), byte >= UInt8(ascii: "5") { value += 1 }
    cursor.skip(while: isDigit)
    return value
  }

  /// Sorted, without duplicates, and with ranges cut to the last value that they reach.
  func normalized(
    _ list: WrittenList, _ kind: CalendarFieldKind
  ) throws(ScheduleError) -> CalendarField {
    let positions = Dictionary(
      zip(list.components.map(\.normalized), list.positions), uniquingKeysWith: { first, _ in first })
    let field = positions.keys.sorted()
    var range = kind.range
    for component in field {
      if let fault = component.fault(in: kind, range) {
        throw failure(fault, at: positions[component] ?? cursor.position)
      }
      // systemd means to keep within the shortest month, and takes its three days off again for each element.
      if kind == .dayFromEnd { range = range.lowerBound...max(range.lowerBound, range.upperBound - 3) }
    }
    return field
  }
}

extension CalendarField {
  /// Whether `every`, which stands for each whole second, is listed among values that it includes.
  fileprivate func areCovered(by every: CalendarComponent) -> Bool {
    contains(every) && allSatisfy { $0.start % 1_000_000 == 0 && ($0.step ?? 0) % 1_000_000 == 0 }
  }
}

extension CalendarComponent {
  fileprivate var normalized: CalendarComponent {
    guard let stop, let step, stop >= start else { return self }
    let last = stop - (stop - start) % step
    return last == start
      ? CalendarComponent(start: start)
      : CalendarComponent(start: start, stop: last, step: step)
  }

  /// Why systemd refuses this: a value out of range, or a range or step without a second value.
  fileprivate func fault(in kind: CalendarFieldKind, _ range: ClosedRange<Int>) -> ScheduleError.Fault? {
    guard range ~= start, range ~= stop ?? start else {
      let unit = kind == .second ? 1_000_000 : 1
      return .outOfRange(
        field: kind.rawValue, lowest: range.lowerBound, highest: range.upperBound / unit)
    }
    guard let step else { return nil }
    let second = kind == .dayFromEnd && stop == nil ? start - step : start + step
    let last = kind == .dayFromEnd && stop == nil ? range : range.lowerBound...(stop ?? range.upperBound)
    let isReached = second >= range.lowerBound && second <= last.upperBound
    return isReached ? nil : .nothingToRepeat(field: kind.rawValue)
  }
}
