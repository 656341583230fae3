import Configuration
import LinuxPlatform
import Scheduling

/// The system's time zones as the configuration was read in them. One that can't be read any more keeps its last
/// good rules: a job does not stop because a package was removed.
final class Zones {
  /// The machine's own zone: that of schedules which name none. The daemon's `TZ` means nothing.
  let local: TimeZoneRules
  /// What files name, whether or not there is such a zone.
  private var asked: Set<String> = []
  private var named: [String: TimeZoneRules] = [:]
  /// One sentence each: which zone can't be read, why, and what is used instead.
  private(set) var problems: Set<String> = []
  private let database: ZoneDatabase
  private let before: [String: TimeZoneRules]

  init(_ database: ZoneDatabase, previous: Zones? = nil) {
    self.database = database
    before = previous?.named ?? [:]
    do {
      local = try database.local()
    } catch {
      local = previous?.local ?? .utc
      problems.insert("\(error); schedules without a timezone are read in \(local.name)")
    }
  }

  /// The system's zones as they are now, for reading the files again.
  func reopened() -> Zones { Zones(database.reopened(), previous: self) }

  /// The same zones as the system has them now.
  func reread() -> Zones {
    let zones = reopened()
    for name in asked.sorted() { _ = zones.rules(name) }
    return zones
  }

  /// For reading configuration files: what they ask for is noted.
  var source: ZoneSource {
    ZoneSource(local: local, find: { self.rules($0) }, names: { self.database.names })
  }

  private func rules(_ name: String) -> TimeZoneRules? {
    guard asked.insert(name).inserted else { return named[name] }
    do {
      named[name] = try database.rules(name)
    } catch {
      named[name] = before[name]
      report(error, name)
    }
    return named[name]
  }

  /// A name that was never known is a mistake in the file that names it, which is reported there.
  private func report(_ error: PlatformError, _ name: String) {
    if before[name] != nil {
      problems.insert("\(error); its last good rules stay in use")
    } else if case .unknownZone = error {
      return
    } else {
      problems.insert("\(error); schedules in it can't be loaded")
    }
  }

  /// Every file that a change of these zones would be seen in.
  var files: Set<String> {
    named.keys.reduce(into: database.localFiles) { $0.formUnion(database.files(of: $1)) }
  }

  /// The zones that have other rules in `new`, or are found there at last.
  func changes(to new: Zones) -> [String] {
    new.named.filter { named[$0.key] != $0.value }.keys.sorted()
  }
}
