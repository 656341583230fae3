import Glibc
import Scheduling

/// The hours around one change of the clocks.
struct ZoneChange: CustomStringConvertible {
  let rules: TimeZoneRules
  let time: WallTime
  var start: WallTime { time - .seconds(3 * 3_600) }
  var end: WallTime { time + .seconds(3 * 3_600) }

  var description: String { "\(rules.name) at \(time.rfc3339)" }

  typealias Minute = (minuteOfDay: Int, when: CivilResolution)

  /// Every whole minute that the clocks show or skip between `start` and `end`, and when.
  func minutes() -> [Minute] {
    // A clock that is put back shows its latest minute before the change, and its earliest one after it.
    let shown = [start, time - .microseconds(1), time, end].map { rules.civilTime(at: $0) }
    let instants = shown.map { TimeZoneRules.utc.instants(of: $0).first.microseconds }
    let (first, last) = (instants.min() ?? 0, instants.max() ?? 0)
    return (first / 60_000_000...last / 60_000_000).map { minute in
      let civil = TimeZoneRules.utc.civilTime(at: WallTime(seconds: minute * 60))
      return (civil.hour * 60 + civil.minute, rules.instants(of: civil))
    }
  }

  /// The dues from `start` to `end`, one after the other.
  func dues(of trigger: CalendarTrigger, _ policy: DaylightSavingPolicy) -> [WallTime] {
    Array(
      sequence(first: start) { trigger.next(after: $0, zone: rules, dst: policy) }
        .dropFirst().prefix { $0 <= end })
  }

  /// The same by trying all `minutes`.
  func expected(_ row: ZoneChangeTests.Row, _ minutes: [Minute]) -> [WallTime] {
    var dues: Set<WallTime> = []
    for (minute, when) in minutes where row.minutes.contains(minute) {
      switch when {
      case .unique(let time): dues.insert(time)
      case .gap(let end): if row.fillsGaps { dues.insert(end) }
      case .repeated(let first, let second): dues.formUnion(row.runsTwice ? [first, second] : [first])
      }
    }
    return dues.filter { $0 > start && $0 <= end }.sorted()
  }
}

extension ZoneChange {
  private struct Key: Hashable {
    let time: WallTime
    let before: ZoneOffset
    let after: ZoneOffset
  }

  /// Of how many changes one is looked at: of 16, or of what NIGHTLATCH_ZONE_SAMPLE says (`make test`: of 1).
  static let sample = getenv("NIGHTLATCH_ZONE_SAMPLE").flatMap { Int(String(cString: $0)) } ?? 16

  /// The changes from 1970 to 2037 in every zone of the system; of equal ones at the same time, one.
  static func all() throws -> [ZoneChange] {
    let start = WallTime(seconds: 0)
    let end = WallTime(seconds: 2_145_916_800)
    var seen: Set<Key> = []
    return try allSystemZones().flatMap { rules in
      rules.transitions(after: start).prefix { $0.time < end }.filter { change in
        let key = Key(time: change.time, before: change.before, after: change.after)
        return change.shift != .zero && seen.insert(key).inserted
      }.map { ZoneChange(rules: rules, time: $0.time) }
    }
  }

  /// A `share` of what ``sample`` says.
  static func sampled(oneIn share: Int = 1) throws -> [ZoneChange] {
    let all = try all()
    return stride(from: 0, to: all.count, by: max(1, sample) * share).map { all[$0] }
  }
}

extension CivilResolution {
  /// When the clocks first show the time, or the gap's end.
  var first: WallTime {
    switch self {
    case .unique(let time), .gap(let time), .repeated(let time, _): time
    }
  }
}
