import Glibc
import Scheduling
import Testing

/// A zone of this system's database; nil without one of that name.
func systemZone(_ name: String) -> TimeZoneRules? {
  guard TimeZoneRules.isName(name), let bytes = contents("/usr/share/zoneinfo/\(name)") else { return nil }
  return try? TimeZoneRules(name: name, tzif: bytes)
}

/// The same for a test that can't go on without it.
func zone(_ name: String) throws -> TimeZoneRules {
  name == "UTC" ? .utc : try #require(systemZone(name), "this system has no time zone \(name)")
}

func contents(_ path: String) -> [UInt8]? {
  guard let file = fopen(path, "r") else { return nil }
  defer { fclose(file) }
  return contents(of: file)
}

private func contents(of file: UnsafeMutablePointer<FILE>) -> [UInt8] {
  var bytes: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 65_536)
  while case let count = fread(&buffer, 1, buffer.count, file), count > 0 {
    bytes += buffer.prefix(count)
  }
  return bytes
}

/// What a shell command prints; it has to succeed.
func lines(printedBy command: String) throws -> [String] {
  let pipe = try #require(popen(command, "r"))
  let bytes = contents(of: pipe)
  try #require(pclose(pipe) == 0, "\(command) failed")
  return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map { String($0) }
}

/// Every zone of this system's database, under each of its names.
func allSystemZones() throws -> [TimeZoneRules] {
  let find = "find /usr/share/zoneinfo -type f ! -path '*/posix/*' ! -path '*/right/*' -printf '%P\\n'"
  return try lines(printedBy: find).sorted().compactMap(systemZone)
}

/// A time written as in RFC 3339, with the offset that holds there.
func time(_ text: String) throws -> WallTime {
  try #require(WallTime(rfc3339: text), "\(text) isn't a time")
}

func calendar(_ text: String) throws -> CalendarTrigger {
  .calendar(try CalendarExpression(parsing: text, zones: systemZone))
}

func cron(_ text: String) throws -> CalendarTrigger { .cron(try CronExpression(parsing: text)) }

extension CalendarTrigger {
  /// The first `count` dues after `start`.
  func dues(
    _ count: Int, after start: WallTime, in zone: TimeZoneRules = .utc, dst: DaylightSavingPolicy = .adjust
  ) -> [WallTime] {
    var dues: [WallTime] = []
    while dues.count < count, let due = next(after: dues.last ?? start, zone: zone, dst: dst) {
      dues.append(due)
    }
    return dues
  }
}
