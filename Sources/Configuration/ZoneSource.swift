public import Scheduling

/// What the shell tells about the system's time zones.
public struct ZoneSource {
  /// The machine's own zone, in which schedules without `timezone` are read.
  public var local: TimeZoneRules
  /// Finds a zone by its IANA name.
  public var find: ZoneLookup
  /// Every name, for suggestions. Asked only after a name was not found.
  public var names: () -> [String]

  public init(local: TimeZoneRules, find: @escaping ZoneLookup, names: @escaping () -> [String] = { [] }) {
    self.local = local
    self.find = find
    self.names = names
  }
}
