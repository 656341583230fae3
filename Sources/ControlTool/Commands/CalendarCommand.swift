import ControlProtocol
import LinuxPlatform
import Scheduling

/// `nightlatch calendar EXPRESSION...`
enum CalendarCommand {
  nonisolated static let cron = CommandOption("cron", help: "Read cron's five fields")
  nonisolated static let every = CommandOption("every", help: "Read an interval such as 15min")
  nonisolated static let timezone = CommandOption(
    "timezone", value: "TZ", help: "Zone for expressions without one; default: the system's")
  nonisolated static let baseTime = CommandOption(
    "base-time", value: "TIME", help: "Count from here, RFC 3339 or @SECONDS; default: now")
  nonisolated static let iterations = CommandOption(
    "iterations", value: "N", help: "Show the next N times; default: 1")
  nonisolated static let dst = CommandOption(
    "dst", value: "POLICY", help: "adjust (the default) or systemd",
    completion: .words(DaylightSavingPolicy.allCases.map(\.rawValue)))

  nonisolated static let command = Command(
    name: "calendar", group: .configuration, summary: "Show when an expression is due",
    operands: [Operand("EXPRESSION", .some)],
    options: [cron, every, timezone, baseTime, iterations, dst, .json],
    discussion: [
      "Prints the canonical form and the next times of systemd calendar expressions, of cron expressions or of intervals, computed by the scheduler itself, and the next clock changes that touch them. With --json, prints one object a line for each expression. EXPRESSION may be -: then one expression is read from each line of standard input."
    ],
    exitCodes: [.success, .failure],
    action: run)

  static func run(_ invocation: Invocation, _ world: Surroundings) throws(ToolError) -> ExitCode {
    let settings = try CalendarSettings(invocation, world)
    var exitCode = ExitCode.success
    for operand in invocation.operands {
      if operand == "-" {
        while let line = world.readLine() { if !show(line, settings, world) { exitCode = .failure } }
      } else if !show(operand, settings, world) {
        exitCode = .failure
      }
    }
    return exitCode
  }

  /// Returns whether the expression could be read.
  private static func show(_ text: String, _ settings: CalendarSettings, _ world: Surroundings) -> Bool {
    do throws(ScheduleError) {
      let preview = try settings.preview(of: text)
      let elapses = preview.elapses(after: settings.base, count: settings.iterations)
      let anomalies = preview.anomalies(after: settings.base, count: 2)
      if settings.isJSON {
        world.print(json: CalendarReport(text, preview.canonical, elapses, anomalies))
      } else {
        world.write(
          CalendarDisplay(world: world, base: settings.base).text(text, preview.canonical, elapses, anomalies)
        )
      }
      return true
    } catch {
      if settings.isJSON {
        world.print(json: CalendarFailure(expression: text, error: error.description, column: error.column))
      } else {
        world.complain("nightlatch: \(error.description.printable)")
      }
      return false
    }
  }
}

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
        throw .usage("there is no time zone \"\(text)\" in this system's database", command: name)
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
