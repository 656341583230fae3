/// One zone of the system's time zone database: which offset from UTC holds when.
///
/// A value, cheap to copy: the table behind it is shared. Two are equal when their names and all of their
/// transitions are, so that a schedule notices an update of the database.
public struct TimeZoneRules: Sendable {
  /// The IANA name.
  public let name: String
  let table: ZoneTable

  public static let utc = TimeZoneRules(
    name: "UTC",
    table: ZoneTable(
      starts: [],
      offsets: [ZoneOffset(seconds: 0, isDaylightSaving: false, abbreviation: "UTC")],
      foldStart: nil))

  init(name: String, table: ZoneTable) {
    self.name = name
    self.table = table
  }

  /// Reads the contents of a TZif file, version 1 to 4 (RFC 9636).
  ///
  /// - Parameters:
  ///   - name: the IANA name, such as `Europe/Berlin`; see ``isName(_:)``.
  ///   - tzif: the whole file.
  public init(name: String, tzif: [UInt8]) throws(TimeZoneError) {
    guard Self.isName(name) else { throw TimeZoneError(zone: name, fault: .name) }
    do {
      self.init(name: name, table: try TZifReader.table(from: tzif))
    } catch {
      throw TimeZoneError(zone: name, fault: error)
    }
  }

  /// Whether `name` may name a zone, and can safely be appended to the path of the database: letters, digits,
  /// `+`, `-`, `_` and single slashes between them.
  public static func isName(_ name: String) -> Bool {
    var previous = UInt8(ascii: "/")
    for byte in name.utf8 {
      let isSlash = byte == UInt8(ascii: "/")
      guard isSlash ? previous != byte : isLetter(byte) || isDigit(byte) || isNamePunctuation(byte)
      else { return false }
      previous = byte
    }
    return previous != UInt8(ascii: "/") && name.utf8.count < 256
  }

  private static func isNamePunctuation(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
  }

  /// The offset from UTC that holds at `time`.
  public func offset(at time: WallTime) -> ZoneOffset { segment(at: time.microseconds).offset }

  /// What the clocks in this zone show at `time`.
  public func civilTime(at time: WallTime) -> CivilTime {
    CivilTime(microsecondsSinceEpoch: segment(at: time.microseconds).civil(at: time.microseconds))
  }

  func segment(at microseconds: Int64) -> ZoneSegment {
    table.segment(at: floorDivide(microseconds, 1_000_000))
  }
}

/// Finds a zone by its IANA name; nil when the system has none of that name.
public typealias ZoneLookup = (_ name: String) -> TimeZoneRules?

extension TimeZoneRules: Hashable {
  public static func == (left: TimeZoneRules, right: TimeZoneRules) -> Bool {
    left.name == right.name
      && (left.table === right.table
        || left.table.starts == right.table.starts && left.table.offsets == right.table.offsets)
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(table.starts.count)
  }
}
