public import Scheduling

extension Schedule {
  /// Each trigger in its canonical form, with the word of the job file where the form alone could be
  /// misread: `*-*-* 02:00:00`, `cron 0 2 * * *`, `every 15min`, `after boot 1min`.
  public var canonical: [String] {
    calendars.map { trigger in
      switch trigger {
      case .calendar: trigger.canonical
      case .cron: "cron " + trigger.canonical
      }
    }
      + intervals.map { "every \($0.timeSpan)" }
      + afterBoot.map { "after boot \($0.timeSpan)" }
      + afterStart.map { "after start \($0.timeSpan)" }
  }
}
