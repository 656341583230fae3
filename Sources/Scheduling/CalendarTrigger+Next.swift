extension CalendarTrigger: CustomStringConvertible {
  /// The one form that is printed; parsing it by the same grammar gives an equal trigger.
  public var canonical: String {
    switch self {
    case .calendar(let expression): expression.canonical
    case .cron(let expression): expression.canonical
    }
  }

  public var description: String { canonical }

  /// The first due strictly later than `time`; nil when there is none within one 400-year cycle (for calendar
  /// expressions: until the end of 2199, as in systemd).
  ///
  /// - Parameters:
  ///   - zone: for an expression that doesn't name its own.
  ///   - dst: what happens to a due that falls into a gap or a repeated stretch.
  public func next(
    after time: WallTime, zone: TimeZoneRules, dst: DaylightSavingPolicy
  ) -> WallTime? {
    guard time.microseconds < .max else { return nil }
    // Nothing is due before 1970: a wall clock that shows such a time is wrong.
    let search = DueSearch(self, from: max(0, time.microseconds + 1), zone: zone)
    let due =
      switch dst {
      case .adjust: search.adjusted()
      case .systemd: search.asSystemd()
      }
    // Where time ends the clocks of some zones can't be counted any more.
    return due.flatMap { $0 > time ? $0 : nil }
  }

  /// False for an expression that is never due after `time`, such as `*-02-30` or a day in the past.
  public func canElapse(
    after time: WallTime, zone: TimeZoneRules, dst: DaylightSavingPolicy
  ) -> Bool {
    next(after: time, zone: zone, dst: dst) != nil
  }
}
