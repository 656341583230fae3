/// When the clocks in a zone show a civil time.
public enum CivilResolution: Hashable, Sendable {
  case unique(WallTime)
  /// Never: the clocks are put forward over it, at `end`.
  case gap(end: WallTime)
  /// Twice: the clocks are put back.
  case repeated(first: WallTime, second: WallTime)
}

/// An instant at which a zone changes its offset, its abbreviation or its daylight saving.
public struct ZoneTransition: Hashable, Sendable {
  public let time: WallTime
  public let before: ZoneOffset
  public let after: ZoneOffset

  /// Positive when clocks are put forward (a gap), negative when they are put back (a repeated stretch).
  public var shift: Duration { .seconds(after.seconds - before.seconds) }
}

extension TimeZoneRules {
  /// No two offsets differ by more than this.
  static let widestShift: Int64 = 52 * 3_600 * 1_000_000

  public func instants(of civil: CivilTime) -> CivilResolution {
    instants(ofCivil: civil.microsecondsSinceEpoch)
  }

  /// `civil` is in microseconds.
  func instants(ofCivil civil: Int64) -> CivilResolution {
    var segment = segment(at: saturatingAdd(civil, -Self.widestShift / 2))
    var first: Int64?
    // Clocks that were put forward over `civil` may be put back to it soon after.
    var gapEnd: Int64?
    while true {
      let instant = segment.instant(of: civil)
      if segment.contains(instant) {
        if let first {
          return .repeated(
            first: WallTime(microseconds: first), second: WallTime(microseconds: instant))
        }
        first = instant
      }
      let end = segment.endMicroseconds
      // A later segment that shows `civil` starts no later than the widest shift after it.
      guard end < saturatingAdd(civil, Self.widestShift / 2) else { break }
      let next = self.segment(at: end)
      if gapEnd == nil, next.civil(at: end) > civil { gapEnd = end }
      segment = next
    }
    if first == nil, let gapEnd { return .gap(end: WallTime(microseconds: gapEnd)) }
    // Only saturated times at the ends of the range have no instant here.
    return .unique(WallTime(microseconds: first ?? segment.instant(of: civil)))
  }

  /// The first transition strictly later than `time`; nil when the offset never changes again.
  public func nextTransition(after time: WallTime) -> ZoneTransition? {
    var segment = segment(at: time.microseconds)
    while let end = segment.end {
      let next = table.segment(at: end)
      let (microseconds, overflow) = end.multipliedReportingOverflow(by: 1_000_000)
      guard !overflow else { return nil }
      if next.offset != segment.offset {
        return ZoneTransition(
          time: WallTime(microseconds: microseconds), before: segment.offset, after: next.offset)
      }
      segment = next
    }
    return nil
  }

  /// All transitions strictly later than `time`, in order; endless in a zone with daylight saving.
  public func transitions(after time: WallTime) -> some Sequence<ZoneTransition> {
    sequence(state: time) { time in
      let transition = nextTransition(after: time)
      if let transition { time = transition.time }
      return transition
    }
  }
}
