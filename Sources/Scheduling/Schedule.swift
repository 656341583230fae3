/// When a job is due: any number of triggers and the rules they share.
///
/// A value without behaviour of its own on the boot clock: `every`, `after_boot` and `after_start`
/// are plain durations that the engine anchors; calendar and cron expressions answer
/// ``nextCalendar(after:)``.
public struct Schedule: Hashable, Sendable {
  /// `calendar` and `cron` triggers, in the order of the file.
  public var calendars: [CalendarTrigger] = []
  /// `every`: intervals on the boot clock. Each is positive.
  public var intervals: [Duration] = []
  /// `after_boot`: once per boot, this long after it.
  public var afterBoot: [Duration] = []
  /// `after_start`: once per start of the daemon, this long after it.
  public var afterStart: [Duration] = []
  /// The zone that expressions without one of their own are read in.
  public var zone: TimeZoneRules = .utc
  public var daylightSaving: DaylightSavingPolicy = .adjust
  /// The upper bound of the stable, hashed delay added to every due.
  public var randomizedDelay: Duration = .zero
  public var missed: MissedPolicy = .once
  /// Bounds ``MissedPolicy/all``.
  public var missedLimit: Int = 100

  public init() {}
}

/// `dst`: what happens to a wall-clock due that falls into a gap or a repeated hour.
public enum DaylightSavingPolicy: String, Hashable, Sendable, CaseIterable {
  /// A time whose hour is fixed runs once, at the gap's end, if it falls into a gap; so a day whose
  /// midnight is missing isn't lost. A time whose hour and minute are fixed runs once, the first time, if it
  /// is repeated; an expression whose hour or minute is `*` or a step keeps firing in both hours.
  case adjust
  /// What systemd 252 does, its slips included (``SystemdWalk``): a time in a gap is skipped, and the calendar is
  /// walked once through a repeated hour, so that nothing fires in its second pass.
  case systemd
}

/// `missed`: what happens to dues that passed while nobody could run them.
public enum MissedPolicy: String, Hashable, Sendable, CaseIterable {
  /// One catch-up run for all of them.
  case once
  case skip
  /// A run for each, at most `missed_limit`.
  case all
}

/// One wall-clock trigger: a systemd calendar expression or five cron fields.
public enum CalendarTrigger: Hashable, Sendable {
  case calendar(CalendarExpression)
  case cron(CronExpression)
}
