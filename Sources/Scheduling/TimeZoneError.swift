/// Why a file of the time zone database can't be used.
public struct TimeZoneError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong with the bytes.
  public enum Fault: Error, Hashable, Sendable {
    /// The name isn't one of the database: letters, digits, `+`, `-`, `_` and single slashes.
    case name
    /// It doesn't begin with `TZif`.
    case notTZif
    /// It ends before what its header announces.
    case truncated
    /// A count, index, offset or order in it breaks RFC 9636.
    case malformed(String)
    /// It counts leap seconds (`right/...`), which the system's clock doesn't.
    case leapSeconds
    /// Its POSIX rule for later years can't be read.
    case footer(String)
  }

  /// The zone's name.
  public var zone: String
  public var fault: Fault

  public var description: String {
    "Reading the time zone \"\(printable(zone))\" failed: \(reason), so schedules in this zone can't be loaded."
  }

  /// What is wrong with the file; part of a sentence.
  public var reason: String {
    switch fault {
    case .name: "this isn't a name of the time zone database"
    case .notTZif: "it isn't a TZif file"
    case .truncated: "the file ends too early"
    case .malformed(let part): "the file's \(part) is malformed"
    case .leapSeconds: "it counts leap seconds, which the system clock doesn't"
    case .footer(let rule): "its rule \"\(printable(rule))\" for later years isn't a POSIX TZ rule"
    }
  }
}
