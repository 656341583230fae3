extension Schedule {
  /// The first calendar due strictly later than `time`; nil when there is none.
  public func nextCalendar(after time: WallTime) -> WallTime? {
    calendars.lazy.compactMap { $0.next(after: time, zone: zone, dst: daylightSaving) }.min()
  }

  /// The last calendar due in `(start, end]`; nil when there is none. Takes a bounded number of steps,
  /// however long the interval.
  public func latestCalendar(after start: WallTime, through end: WallTime) -> WallTime? {
    guard var due = dueNearEnd(after: start, through: end) else { return nil }
    // Between `due` and `later` lies no due any more.
    var later = end.microseconds
    while let next = nextCalendar(after: due), next <= end {
      due = next
      let middle = due.microseconds + (later - due.microseconds) / 2
      if let jump = nextCalendar(after: WallTime(microseconds: middle)), jump <= end {
        due = jump
      } else {
        later = middle
      }
    }
    return due
  }

  /// Some due in `(start, end]`, found by looking ever farther back from the end.
  private func dueNearEnd(after start: WallTime, through end: WallTime) -> WallTime? {
    guard start < end else { return nil }
    var distance: Int64 = 1_000_000
    while true {
      let from = max(start, WallTime(microseconds: saturatingAdd(end.microseconds, -distance)))
      if let due = nextCalendar(after: from), due <= end { return due }
      if from == start { return nil }
      distance = saturatingMultiply(distance, 4)
    }
  }

  /// The newest calendar dues in `(start, end]`, at most `limit`, in ascending order.
  public func missedCalendar(
    after start: WallTime, through end: WallTime, limit: Int
  ) -> [WallTime] {
    var dues: [WallTime] = []
    var end = end
    while dues.count < limit, let due = latestCalendar(after: start, through: end) {
      dues.append(due)
      end = due - .microseconds(1)
    }
    return dues.reversed()
  }

  /// The first expression that is never due after `time`; nil when all are.
  public func firstUnreachable(after time: WallTime) -> CalendarTrigger? {
    calendars.first { !$0.canElapse(after: time, zone: zone, dst: daylightSaving) }
  }
}
