/// Why a calendar expression, a cron expression or a time span can't be read.
public struct ScheduleError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The grammar that `text` was read by.
  public enum Grammar: String, Hashable, Sendable {
    case calendar = "calendar expression"
    case cron = "cron expression"
    case span = "time span"
  }

  public enum Fault: Hashable, Sendable {
    case empty
    /// Something else was expected here.
    case expected(String)
    /// A value outside of what its field can hold.
    case outOfRange(field: String, lowest: Int, highest: Int)
    /// A range whose end comes before its start, or a range or repetition that has no second element.
    case nothingToRepeat(field: String)
    case zeroStep
    /// More than 241 elements in one field.
    case tooManyElements
    /// The database has no zone of this name.
    case unknownZone(String)
    /// The value is too large to be counted.
    case overflow
    case infinity
    /// The text is written in cron's grammar.
    case isCron
    /// The text is written in the grammar of calendar expressions.
    case isCalendar
    /// Six fields, hence seconds first.
    case hasSeconds
    /// `@reboot`.
    case isReboot
    /// `fri-sun` or `5-0`: Sunday begins cron's week.
    case endsWithSunday
    /// `CRON_TZ=` or `TZ=` before the fields.
    case hasZone
    /// `a~b`: a random value, which a schedule that can be predicted doesn't have.
    case isRandom
  }

  public var grammar: Grammar
  public var text: String
  /// Where in `text`: 1 is the first character (counted in Unicode scalars); one more than there are
  /// characters for its end.
  public var column: Int
  public var fault: Fault

  public var description: String {
    "The \(grammar.rawValue) \"\(printable(text))\" can't be used: at column \(column) \(reason)."
  }

  /// What is wrong at ``column``: a clause that follows a colon, without a full stop.
  public var reason: String {
    switch fault {
    case .empty: "it is empty"
    case .expected(let what): "\(what) was expected"
    case .outOfRange(let field, let lowest, let highest):
      "the \(field) isn't between \(lowest) and \(highest)"
    case .nothingToRepeat(let field):
      "the range or step of the \(field) leaves nothing after its first value"
    case .zeroStep: "a step of 0 repeats nothing"
    case .tooManyElements: "the list has more than 241 elements"
    case .unknownZone(let name):
      "\"\(printable(name))\" is neither a part of the expression nor a time zone of this system"
    case .overflow: "the value is too large"
    case .infinity: "\"infinity\" isn't a finite time span"
    case .isCron: "it reads like a cron expression; write it as `cron = \"...\"`"
    case .isCalendar: "it reads like a calendar expression; write it as `calendar = \"...\"`"
    case .hasSeconds:
      "there is a sixth field, but cron has no seconds; write a calendar expression such as \"*:*:0/10\""
    case .isReboot: "`@reboot` isn't a time; write `after_boot` or `after_start` instead"
    case .endsWithSunday: "the range ends with Sunday, which is cron's first day; write 7 for it, as in `5-7`"
    case .hasZone: "the zone isn't a part of the expression; write `timezone = \"...\"` instead"
    case .isRandom: "`~` means a random value; write `randomized_delay` instead"
    }
  }
}

/// `text` for a message: at most 80 characters, none of which controls a terminal.
func printable(_ text: String) -> String {
  let scalars = text.unicodeScalars
  let shown = scalars.prefix(80).map { scalar in
    scalar.properties.generalCategory == .control || scalar.properties.generalCategory == .format
      ? "\u{FFFD}" : Character(scalar)
  }
  return String(shown) + (scalars.dropFirst(80).isEmpty ? "" : "…")
}
