/// Finds matches of a pattern from one civil time after the other, and looks at no stretch twice.
///
/// So an expression that never matches is searched for once, however often a zone changes its clocks.
struct MatchSearch {
  private let pattern: CivilPattern
  private let lastYear: Int
  /// From here to `found`, or for ever without one, it is known that there is no other match.
  private var known = Int64.max
  private var found: Int64?

  init(_ pattern: CivilPattern, through lastYear: Int) {
    self.pattern = pattern
    self.lastYear = lastYear
  }

  /// The first match at or after `civil`, in microseconds since 1970 on the same wall.
  mutating func first(from civil: Int64) -> Int64? {
    if civil >= known, civil <= found ?? .max { return found }
    let isBefore = civil < known && known < .max
    let last = isBefore ? min(CivilTime(microsecondsSinceEpoch: known).date.year, lastYear) : lastYear
    let match = pattern.first(from: civil, through: last)
    found = match ?? (isBefore ? found : nil)
    known = civil
    return found
  }
}
