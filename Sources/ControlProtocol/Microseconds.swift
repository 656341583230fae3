import Scheduling

/// A duration in a message: on the wire an integer, in microseconds.
public struct Microseconds: Hashable, Comparable, Sendable {
  public var duration: Duration

  public init(_ duration: Duration) { self.duration = duration }

  public static func < (left: Microseconds, right: Microseconds) -> Bool {
    left.duration < right.duration
  }
}

extension Microseconds: Codable {
  public init(from decoder: any Decoder) throws {
    let microseconds = try decoder.singleValueContainer().decode(Int64.self)
    // Clamped as it would be written.
    duration = .microseconds(Duration.microseconds(microseconds).wholeMicroseconds)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(duration.wholeMicroseconds)
  }
}
