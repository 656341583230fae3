/// A zone's history and future: a sorted list of segments of constant offset.
///
/// The rule for later years is written out for one Gregorian cycle; later instants are folded back into that
/// cycle, which repeats exactly after 400 years.
final class ZoneTable: Sendable {
  static let cycleSeconds: Int64 = 146_097 * 86_400

  /// Segment 0 has no start; segment `i` starts at `starts[i - 1]`, in seconds since 1970 UTC.
  let starts: [Int64]
  /// One for each segment.
  let offsets: [ZoneOffset]
  /// For each segment the latest civil time, in seconds, that any earlier segment has shown.
  let highWaters: [Int64]
  /// Instants from here on are folded; nil when the last segment lasts for ever.
  let foldStart: Int64?

  /// `starts` ascends strictly and has one element less than `offsets`.
  init(starts: [Int64], offsets: [ZoneOffset], foldStart: Int64?) {
    self.starts = starts
    self.offsets = offsets
    self.foldStart = foldStart
    var highWater = Int64.min
    var highWaters = [highWater]
    for (start, offset) in zip(starts, offsets) {
      highWater = max(highWater, start + offset.seconds)
      highWaters.append(highWater)
    }
    self.highWaters = highWaters
  }

  /// The segment that `seconds` lies in. Within ±2^44 seconds, beyond what microseconds can hold.
  func segment(at seconds: Int64) -> ZoneSegment {
    guard let foldStart, seconds >= foldStart else { return segment(at: seconds, shift: 0) }
    let shift = ((seconds - foldStart) / Self.cycleSeconds + 1) * Self.cycleSeconds
    return segment(at: seconds - shift, shift: shift)
  }

  private func segment(at seconds: Int64, shift: Int64) -> ZoneSegment {
    var low = 0
    var high = starts.count
    while low < high {
      let middle = (low + high) / 2
      if starts[middle] <= seconds { low = middle + 1 } else { high = middle }
    }
    return ZoneSegment(
      start: low == 0 ? nil : starts[low - 1] + shift,
      end: low == starts.count ? nil : starts[low] + shift,
      offset: offsets[low],
      highWater: low == 0 ? nil : highWaters[low] + shift)
  }
}

/// A stretch of time in which a zone's offset doesn't change; seconds since 1970 UTC.
struct ZoneSegment {
  /// Nil for the first.
  var start: Int64?
  /// Exclusive; nil for the last.
  var end: Int64?
  var offset: ZoneOffset
  /// The latest civil time, in seconds, shown before `start`; nil for the first.
  var highWater: Int64?
}

extension ZoneSegment {
  var startMicroseconds: Int64 { start.map { saturatingMultiply($0, 1_000_000) } ?? .min }

  var endMicroseconds: Int64 { end.map { saturatingMultiply($0, 1_000_000) } ?? .max }

  var offsetMicroseconds: Int64 { offset.seconds * 1_000_000 }

  /// What the wall shows at `instant`; both in microseconds.
  func civil(at instant: Int64) -> Int64 { saturatingAdd(instant, offsetMicroseconds) }

  /// When the wall shows `civil`, whether or not that lies in this segment.
  func instant(of civil: Int64) -> Int64 { saturatingAdd(civil, -offsetMicroseconds) }

  func contains(_ instant: Int64) -> Bool {
    instant >= startMicroseconds && instant < endMicroseconds
  }
}

/// How a zone's clocks differ from UTC for a while.
public struct ZoneOffset: Hashable, Sendable {
  /// East of UTC.
  let seconds: Int64
  public let isDaylightSaving: Bool
  /// Such as `CET` or `+0330`.
  public let abbreviation: String

  /// What has to be added to UTC.
  public var duration: Duration { .seconds(seconds) }
}
