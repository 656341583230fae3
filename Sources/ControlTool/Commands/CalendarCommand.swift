import ControlProtocol
import LinuxPlatform
import Scheduling

/// `nightlatch calendar EXPRESSION...`
enum CalendarCommand {
  nonisolated static let cron = CommandOption("cron", help: "Read cron's five fields")
  nonisolated static let every = CommandOption("every", help: "Read an interval such as 15min")
  nonisolated static let timezone = CommandOption(
    "timezone", value: "TZ", help: "Zone for expressions without one; default: that of TZ, else the system's")
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
      "Prints the canonical form and the next times of systemd calendar expressions, of cron expressions or of intervals, computed by the scheduler itself and told as a clock in the schedule's zone shows them, and the next two clock changes that touch them: a time that does not exist, one that comes twice, a day without a midnight. With --json, prints one object a line for each expression; a text that is none has error and column instead, and the exit status is 1. EXPRESSION may be -: then one expression is read from each line of standard input."
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
          CalendarDisplay(world: world, zone: preview.zone).text(text, preview.canonical, elapses, anomalies)
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
