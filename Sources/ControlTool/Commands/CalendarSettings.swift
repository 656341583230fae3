import LinuxPlatform
import Scheduling

/// The options of `nightlatch calendar`, understood.
struct CalendarSettings {
  var base: WallTime
  var iterations: Int
  var isJSON: Bool
  private var grammar: SchedulePreview.Grammar
  private var zone: TimeZoneRules
  private var daylightSaving: DaylightSavingPolicy
  private let zones = ZoneDatabase()

  init(_ invocation: Invocation, _ world: Surroundings) throws(ToolError) {
    let name = invocation.command.name
    if invocation.has(CalendarCommand.cron), invocation.has(CalendarCommand.every) {
      throw .usage("--cron and --every exclude each other", command: name)
    }
    grammar =
      invocation.has(CalendarCommand.cron)
      ? .cron : invocation.has(CalendarCommand.every) ? .every : .calendar
    iterations = try invocation.positiveNumber(CalendarCommand.iterations) ?? 1
    isJSON = invocation.has(.json)
    base = world.now().wall
    zone = world.zone
    daylightSaving = .adjust
    if let text = invocation.value(of: CalendarCommand.baseTime) {
      guard let time = WallTime(userText: text) else {
        throw .usage("--base-time takes 2027-01-01T02:00:00Z or @SECONDS, not \"\(text)\"", command: name)
      }
      base = time
    }
    if let text = invocation.value(of: CalendarCommand.timezone) {
      guard let rules = LocalZone.rules(named: text, in: zones) else {
        throw .usage(
          "there is no time zone \"\(text)\" in this system's database"
            + suggestion(for: text, among: zones.names), command: name)
      }
      zone = rules
    }
    if let text = invocation.value(of: CalendarCommand.dst) {
      guard let policy = DaylightSavingPolicy(rawValue: text) else {
        throw .usage("--dst takes adjust or systemd, not \"\(text)\"", command: name)
      }
      daylightSaving = policy
    }
  }

  func preview(of text: String) throws(ScheduleError) -> SchedulePreview {
    try SchedulePreview(text, grammar: grammar, zone: zone, daylightSaving: daylightSaving) { name in
      LocalZone.rules(named: name, in: zones)
    }
  }
}
