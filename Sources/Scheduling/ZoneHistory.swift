/// Collects a zone's transitions in order.
struct ZoneHistory {
  private var starts: [Int64] = []
  private var offsets: [ZoneOffset]
  private var foldStart: Int64?

  /// Microseconds since 1970 fit into ±2^44 seconds, with room for any offset.
  private static let reach: ClosedRange<Int64> = -(1 << 44)...(1 << 44)

  /// `first` holds before the first transition.
  init(first: ZoneOffset) { offsets = [first] }

  /// Adds a transition that is later than all others.
  mutating func append(_ time: Int64, _ offset: ZoneOffset) {
    if time < Self.reach.lowerBound {
      offsets = [offset]
    } else if time <= Self.reach.upperBound, offsets.last != offset {
      starts.append(time)
      offsets.append(offset)
    }
  }

  /// Adds what `rule` says about the time after the last transition (RFC 9636, section 3.3): 402 years
  /// of it, of which the last 400 repeat for ever.
  mutating func extend(by rule: POSIXZoneRule) {
    guard let daylight = rule.daylight else {
      if starts.isEmpty { offsets = [rule.standard] }
      return
    }
    let last = starts.last
    // Far from everything a 64-bit microsecond can say, there is no need to look for a rule.
    if let last, last > Self.reach.upperBound / 2 { return }
    let firstYear = last.map { CivilDate(daysSinceEpoch: floorDivide($0, 86_400)).year } ?? 1_700
    if last == nil { offsets = [rule.standard] }
    let count = starts.count
    for change in rule.changes(daylight, from: firstYear, through: firstYear + 403)
    where last.map({ change.time > $0 }) ?? true {
      append(change.time, change.offset)
    }
    // Where daylight saving is permanent the last segment has no end, and nothing repeats.
    guard starts.count > count + 1 else { return }
    let foldYear = CivilDate(uncheckedYear: firstYear + 402, month: 1, day: 1)
    foldStart = foldYear.daysSinceEpoch * 86_400
  }

  var table: ZoneTable { ZoneTable(starts: starts, offsets: offsets, foldStart: foldStart) }
}
