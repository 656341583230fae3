import Configuration
import LinuxPlatform
import Scheduling

/// The system's time zones, as configuration files name them.
enum Zones {
  static func current() -> ZoneSource {
    let database = ZoneDatabase()
    return ZoneSource(local: (try? database.local()) ?? .utc, find: { try? database.rules($0) })
  }
}
