import Glibc
import Scheduling
import Testing

/// Every zone of this system's database, compared with Python's zoneinfo, which reads the same files.
@Suite struct ZoneDatabaseTests {
  static let hasPython = access("/usr/bin/python3", X_OK) == 0

  /// What Python says about a zone from one time to another.
  private struct Stretch {
    let zone: String
    let start: WallTime
    let end: WallTime
    /// What holds at the start and from each change on: `SECONDS OFFSET DST NAME`.
    var states: [String] = []
  }

  @Test(.enabled(if: hasPython, "/usr/bin/python3 isn't installed"))
  func `each change of each zone is where Python's zoneinfo has it`() throws {
    let stretches = try pythonsStretches()
    #expect(Set(stretches.map(\.zone)).count > 100)
    #expect(stretches.reduce(0) { $0 + $1.states.count } > 10_000)
    for stretch in stretches {
      let found = states(of: try zone(stretch.zone), from: stretch.start, to: stretch.end)
      if found != stretch.states {
        let differences = Set(found).symmetricDifference(stretch.states).sorted()
        Issue.record("\(stretch.zone) from \(stretch.start.rfc3339): \(differences)")
      }
    }
  }

  private func states(of rules: TimeZoneRules, from start: WallTime, to end: WallTime) -> [String] {
    let changes = rules.transitions(after: start).prefix { $0.time < end }
    for change in changes {
      // The offset is that of the change one microsecond before it, and at it.
      #expect(rules.offset(at: change.time - .microseconds(1)) == change.before)
      #expect(rules.offset(at: change.time) == change.after)
    }
    return ([start] + changes.map(\.time)).map { time in
      let offset = rules.offset(at: time)
      let numbers = [
        time.microseconds / 1_000_000, offset.duration.components.seconds, offset.isDaylightSaving ? 1 : 0,
      ]
      return numbers.map { String($0) }.joined(separator: " ") + " " + offset.abbreviation
    }
  }

  private func pythonsStretches() throws -> [Stretch] {
    let script =
      #filePath.split(separator: "/").dropLast(2).joined(separator: "/") + "/Schedules/zone_changes.py"
    var zone = ""
    var stretches: [Stretch] = []
    for line in try lines(printedBy: "/usr/bin/python3 '/\(script)'") {
      let words = line.split(separator: " ")
      if words[0] == "zone" {
        zone = String(words[1])
      } else if words[0] == "from" {
        let times = [words[1], words[3]].compactMap { Int64($0) }.map { WallTime(seconds: $0) }
        stretches.append(Stretch(zone: zone, start: times[0], end: times[1]))
      } else {
        stretches[stretches.count - 1].states.append(line)
      }
    }
    return stretches
  }
}
