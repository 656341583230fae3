extension Schedule {
  /// The first calendar due strictly later than `time`; nil when there is none.
  public func nextCalendar(after time: WallTime) -> WallTime? {
    calendars.lazy.compactMap { $0.next(after: time, zone: zone, dst: daylightSaving) }.min()
  }

  /// The newest calendar dues in `(start, end]`, at most `limit`, in ascending order. Takes a bounded number of
  /// steps, however long the interval: about three for a due where dues are regular.
  public func missedCalendar(
    after start: WallTime, through end: WallTime, limit: Int
  ) -> [WallTime] {
    var missed: [WallTime] = []
    var end = end
    var distance: Int64 = 1_000_000
    // From the end backwards, one stretch after the other, each walked forwards. A stretch twice as long as the
    // last should not hold many more dues than were found so far; where it does, they lie closer together.
    while missed.count < limit, start < end {
      let from = max(start, WallTime(microseconds: saturatingAdd(end.microseconds, -distance)))
      if let dues = dues(after: from, through: end, atMost: 2 * missed.count + 2) {
        missed = dues.suffix(limit - missed.count) + missed
        end = from
        distance = saturatingMultiply(distance, 2)
      } else {
        distance = max(1, distance / 4)
      }
    }
    return missed
  }

  /// All calendar dues in `(start, end]`; nil when there are more than `count`.
  private func dues(after start: WallTime, through end: WallTime, atMost count: Int) -> [WallTime]? {
    var dues: [WallTime] = []
    while let due = nextCalendar(after: dues.last ?? start), due <= end {
      guard dues.count < count else { return nil }
      dues.append(due)
    }
    return dues
  }

  /// The first expression that is never due after `time`; nil when all are.
  public func firstUnreachable(after time: WallTime) -> CalendarTrigger? {
    calendars.first { !$0.canElapse(after: time, zone: zone, dst: daylightSaving) }
  }
}
