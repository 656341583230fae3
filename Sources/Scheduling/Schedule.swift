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
  /// A fixed time in a gap runs once at the gap's end; a fixed time in a repeated hour runs once, the
  /// first time; a repeating expression keeps firing in both hours.
  case adjust
  /// Exactly what systemd does.
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
