/// One zone of the system's time zone database.
public struct TimeZoneRules: Hashable, Sendable {
  /// The IANA name.
  public var name: String

  public static let utc = TimeZoneRules(name: "UTC")
}
