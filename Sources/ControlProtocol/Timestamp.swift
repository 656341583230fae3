public import Scheduling

/// A wall-clock time in a message: on the wire an RFC 3339 string in UTC.
public struct Timestamp: Hashable, Comparable, Sendable {
  public var wall: WallTime

  public init(_ wall: WallTime) { self.wall = wall }

  public static func < (left: Timestamp, right: Timestamp) -> Bool { left.wall < right.wall }
}

extension Timestamp: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let wall = WallTime(rfc3339: try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "not an RFC 3339 time")
    }
    self.wall = wall
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(wall.rfc3339)
  }
}
