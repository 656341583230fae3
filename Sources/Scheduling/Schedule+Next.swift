extension Schedule {
  /// The first calendar due strictly later than `time`; nil when there is none.
  public func nextCalendar(after time: WallTime) -> WallTime? { nil }

  /// The last calendar due in `(start, end]`; nil when there is none. Takes a bounded number of steps,
  /// however long the interval.
  public func latestCalendar(after start: WallTime, through end: WallTime) -> WallTime? { nil }
}
extension Schedule {
  /// The newest `limit` calendar dues in `(start, end]`, oldest first.
  public func missedCalendar(after start: WallTime, through end: WallTime, limit: Int) -> [WallTime] { [] }
}
