/// Reads the contents of a TZif file (RFC 9636).
struct TZifReader {
  private let bytes: [UInt8]
  private var position = 0

  /// As in the reference implementation (`TZ_MAX_TIMES`). The database stays below 300; each one costs a search
  /// that ends nowhere a step.
  private static let transitionLimit = 2_000

  private struct Header {
    var version: UInt8
    /// `isutcnt` and `isstdcnt`.
    var indicatorCount: Int
    var leapCount: Int
    var transitionCount: Int
    var typeCount: Int
    var characterCount: Int

    func bodySize(timeSize: Int) -> Int {
      transitionCount * (timeSize + 1) + typeCount * 6 + characterCount
        + leapCount * (timeSize + 4) + indicatorCount
    }
  }

  static func table(from bytes: [UInt8]) throws(TimeZoneError.Fault) -> ZoneTable {
    var reader = TZifReader(bytes: bytes)
    var header = try reader.header()
    guard header.version > 0 else { return try reader.table(header, timeSize: 4) }
    // The first block repeats the second with 32-bit times.
    _ = try reader.take(header.bodySize(timeSize: 4))
    header = try reader.header()
    return try reader.table(header, timeSize: 8)
  }

  private mutating func take(_ count: Int) throws(TimeZoneError.Fault) -> ArraySlice<UInt8> {
    guard bytes.count - position >= count else { throw .truncated }
    defer { position += count }
    return bytes[position..<position + count]
  }

  /// A big-endian, signed integer.
  private mutating func integer(_ size: Int) throws(TimeZoneError.Fault) -> Int64 {
    let unsigned = try take(size).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let unused = 64 - size * 8
    return Int64(bitPattern: unsigned << UInt64(unused)) >> Int64(unused)
  }

  private mutating func count() throws(TimeZoneError.Fault) -> Int {
    Int(try take(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) })
  }

  private mutating func header() throws(TimeZoneError.Fault) -> Header {
    guard bytes.count - position >= 4, try take(4).elementsEqual("TZif".utf8) else {
      throw .notTZif
    }
    let start = try take(16)
    let version = start[start.startIndex]
    let indicatorCount = try count() + count()
    return Header(
      version: version >= UInt8(ascii: "2") ? version - UInt8(ascii: "0") : 0,
      indicatorCount: indicatorCount, leapCount: try count(), transitionCount: try count(),
      typeCount: try count(), characterCount: try count())
  }

  private mutating func table(
    _ header: Header, timeSize: Int
  ) throws(TimeZoneError.Fault) -> ZoneTable {
    guard header.leapCount == 0 else { throw .leapSeconds }
    guard header.transitionCount <= Self.transitionLimit else { throw .malformed("count of transitions") }
    guard bytes.count - position >= header.bodySize(timeSize: timeSize) else { throw .truncated }
    let times = try times(header.transitionCount, size: timeSize)
    let indices = try take(header.transitionCount).map { Int($0) }
    let offsets = try offsets(header)
    guard let first = offsets.first else { throw .malformed("list of offsets") }
    guard indices.allSatisfy({ $0 < offsets.count }) else {
      throw .malformed("list of transitions")
    }
    _ = try take(header.indicatorCount)
    var history = ZoneHistory(first: first)
    for (time, index) in zip(times, indices) { history.append(time, offsets[index]) }
    if timeSize == 8, let rule = try footer() { history.extend(by: rule) }
    return history.table
  }

  private mutating func times(
    _ count: Int, size: Int
  ) throws(TimeZoneError.Fault) -> [Int64] {
    var times: [Int64] = []
    for _ in 0..<count {
      let time = try integer(size)
      if let last = times.last, time <= last { throw .malformed("order of transitions") }
      times.append(time)
    }
    return times
  }

  private mutating func offsets(_ header: Header) throws(TimeZoneError.Fault) -> [ZoneOffset] {
    var types: [(seconds: Int64, isDaylightSaving: Bool, name: Int)] = []
    for _ in 0..<header.typeCount {
      let seconds = try integer(4)
      // The range that RFC 9636, section 3.2, recommends to stay in.
      guard -89_999...93_599 ~= seconds else { throw .malformed("list of offsets") }
      types.append((seconds, try integer(1) != 0, Int(UInt8(truncatingIfNeeded: try integer(1)))))
    }
    let characters = try take(header.characterCount)
    var offsets: [ZoneOffset] = []
    for type in types {
      guard type.name < characters.count else { throw .malformed("list of abbreviations") }
      let name = characters.dropFirst(type.name).prefix { $0 != 0 }
      offsets.append(
        ZoneOffset(
          seconds: type.seconds, isDaylightSaving: type.isDaylightSaving,
          abbreviation: String(decoding: name, as: UTF8.self)))
    }
    return offsets
  }

  /// The POSIX rule between two newlines after the second block; nil when it is empty.
  private mutating func footer() throws(TimeZoneError.Fault) -> POSIXZoneRule? {
    guard try take(1).first == UInt8(ascii: "\n"),
      let end = bytes[position...].firstIndex(of: UInt8(ascii: "\n"))
    else { throw .truncated }
    guard end > position else { return nil }
    let text = String(decoding: bytes[position..<end], as: UTF8.self)
    guard let rule = POSIXZoneRule(text) else { throw .footer(text) }
    return rule
  }
}
