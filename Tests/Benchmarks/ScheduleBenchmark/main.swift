// Times the schedule engine for Tests/Benchmarks/schedules.py.
//
// Reads lines of five columns, separated by tabs: MEASUREMENT GRAMMAR ZONE POLICY EXPRESSION. Answers each with
// nanoseconds: of one `next` in a long walk from due to due (`next`), of the slowest single search from many
// base times (`search`), of the newest 1,000 dues of ten years (`missed`), of reading the expression (`parse`) or
// the zone's file (`zone`).
import Glibc
import Scheduling

struct Request {
  var measurement: String
  var grammar: String
  var zone: String
  var policy: DaylightSavingPolicy
  var expression: String

  init(line: String) throws {
    let columns = line.split(separator: "\t", omittingEmptySubsequences: false).map { String($0) }
    guard columns.count == 5, let policy = DaylightSavingPolicy(rawValue: columns[3]) else {
      throw BenchmarkError("five columns were expected: \(line)")
    }
    (measurement, grammar, zone, expression) = (columns[0], columns[1], columns[2], columns[4])
    self.policy = policy
  }
}

struct BenchmarkError: Error, CustomStringConvertible {
  var description: String
  init(_ description: String) { self.description = description }
}

func contents(of path: String) throws -> [UInt8] {
  guard let file = fopen(path, "r") else { throw BenchmarkError("\(path) can't be read") }
  defer { fclose(file) }
  var bytes = [UInt8](repeating: 0, count: 1 << 20)
  let count = fread(&bytes, 1, bytes.count, file)
  return Array(bytes.prefix(count))
}

/// A name of the database, or the path of a file.
func zone(_ name: String) throws -> TimeZoneRules {
  name.hasPrefix("/")
    ? try TimeZoneRules(name: "Test/Zone", tzif: contents(of: name))
    : try TimeZoneRules(name: name, tzif: contents(of: "/usr/share/zoneinfo/\(name)"))
}

func trigger(_ request: Request) throws -> CalendarTrigger {
  request.grammar == "cron"
    ? .cron(try CronExpression(parsing: request.expression))
    : .calendar(try CalendarExpression(parsing: request.expression) { try? zone($0) })
}

func nanoseconds(_ duration: Duration) -> Double {
  Double(duration.components.seconds) * 1e9 + Double(duration.components.attoseconds) / 1e9
}

/// The quickest of some rounds: what the machine's other work does not slow down.
func quickest(rounds: Int, operations: Int, _ operation: () throws -> Void) rethrows -> Double {
  var best = Double.infinity
  for _ in 0..<rounds {
    let time = try ContinuousClock().measure {
      for _ in 0..<operations { try operation() }
    }
    best = min(best, nanoseconds(time) / Double(operations))
  }
  return best
}

/// 2026-01-01 00:00 UTC.
let base = WallTime(seconds: 1_767_225_600)

func measure(_ request: Request) throws -> Double {
  switch request.measurement {
  case "zone":
    return try quickest(rounds: 20, operations: 5) { _ = try zone(request.zone) }
  case "parse":
    return try quickest(rounds: 20, operations: 200) { _ = try trigger(request) }
  case "next":
    let (trigger, zone) = (try trigger(request), try zone(request.zone))
    var due = base
    return quickest(rounds: 50, operations: 1_000) {
      due = trigger.next(after: due, zone: zone, dst: request.policy) ?? base
    }
  case "search":
    let (trigger, zone) = (try trigger(request), try zone(request.zone))
    // About five weeks and five hours apart, over eighteen years around the base.
    let times = (-100..<100).map { base + .seconds($0 * 3_042_137) }
    return times.map { time in
      quickest(rounds: 3, operations: 1) { _ = trigger.next(after: time, zone: zone, dst: request.policy) }
    }.max() ?? 0
  case "missed":
    var schedule = Schedule()
    schedule.calendars = [try trigger(request)]
    schedule.zone = try zone(request.zone)
    schedule.daylightSaving = request.policy
    let start = base - .seconds(10 * 365 * 86_400)
    return quickest(rounds: 10, operations: 1) {
      _ = schedule.missedCalendar(after: start, through: base, limit: 1_000)
    }
  default:
    throw BenchmarkError("there is no measurement \(request.measurement)")
  }
}

while let line = readLine() {
  print(Int(try measure(Request(line: line)).rounded()))
}
