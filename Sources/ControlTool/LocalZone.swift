import LinuxPlatform
import Scheduling

/// Zones as the tool needs them: for showing times, and by the names that people type.
enum LocalZone {
  /// The zone that times are shown in: `TZ` if it names one (environ(7)), else the system's.
  static func rules(environment: [String: String]) -> TimeZoneRules {
    let database = ZoneDatabase()
    let wanted = environment["TZ"].map { $0.hasPrefix(":") ? String($0.dropFirst()) : $0 }
    if let rules = wanted.flatMap({ rules(named: $0, in: database) }) { return rules }
    do {
      return try database.local()
    } catch {
      return .utc
    }
  }

  static func rules(named name: String, in database: ZoneDatabase) -> TimeZoneRules? {
    do {
      return try database.rules(name)
    } catch {
      return nil
    }
  }
}
