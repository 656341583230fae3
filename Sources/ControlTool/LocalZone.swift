import LinuxPlatform
import Scheduling

/// The zone that times are shown in: `TZ` if it names one (environ(7)), else the system's.
enum LocalZone {
  static func rules(environment: [String: String]) -> TimeZoneRules {
    let database = ZoneDatabase()
    let wanted = environment["TZ"].map { $0.hasPrefix(":") ? String($0.dropFirst()) : $0 }
    for name in [wanted, database.localName()].compactMap({ $0 }) {
      if let rules = rules(named: name, in: database) { return rules }
    }
    return copy(of: "/etc/localtime") ?? .utc
  }

  static func rules(named name: String, in database: ZoneDatabase) -> TimeZoneRules? {
    try? database.rules(name)
  }

  /// `/etc/localtime` may be a copy that does not tell its name.
  private static func copy(of path: String) -> TimeZoneRules? {
    guard let bytes = try? SourceFiles.bytes(of: path, limit: 1 << 20) else { return nil }
    return try? TimeZoneRules(name: "local", tzif: bytes)
  }
}
