/// A point on the boot clock (`CLOCK_BOOTTIME`): microseconds since the machine booted.
///
/// It counts while the machine is suspended and never steps, so intervals, time limits and
/// backoffs are measured on it. It means nothing after a reboot: see ``Moment``.
public struct Instant: Hashable, Comparable, Sendable {
  public var microseconds: Int64

  public init(microseconds: Int64) { self.microseconds = microseconds }

  public static func < (left: Instant, right: Instant) -> Bool {
    left.microseconds < right.microseconds
  }

  public static func + (left: Instant, right: Duration) -> Instant {
    Instant(microseconds: saturatingAdd(left.microseconds, right.wholeMicroseconds))
  }

  public static func - (left: Instant, right: Duration) -> Instant {
    Instant(microseconds: saturatingAdd(left.microseconds, -right.wholeMicroseconds))
  }

  public static func - (left: Instant, right: Instant) -> Duration {
    .microseconds(saturatingSubtract(left.microseconds, right.microseconds))
  }
}

/// A point on the wall clock (`CLOCK_REALTIME`): microseconds since 1970-01-01 00:00 UTC.
///
/// It can step in either direction.
public struct WallTime: Hashable, Comparable, Sendable {
  public var microseconds: Int64

  public init(microseconds: Int64) { self.microseconds = microseconds }

  public init(seconds: Int64) { self.microseconds = saturatingMultiply(seconds, 1_000_000) }

  public static func < (left: WallTime, right: WallTime) -> Bool {
    left.microseconds < right.microseconds
  }

  public static func + (left: WallTime, right: Duration) -> WallTime {
    WallTime(microseconds: saturatingAdd(left.microseconds, right.wholeMicroseconds))
  }

  public static func - (left: WallTime, right: Duration) -> WallTime {
    WallTime(microseconds: saturatingAdd(left.microseconds, -right.wholeMicroseconds))
  }

  public static func - (left: WallTime, right: WallTime) -> Duration {
    .microseconds(saturatingSubtract(left.microseconds, right.microseconds))
  }
}

/// Both clocks, read together: the only notion of "now" that pure code is given.
public struct Now: Hashable, Sendable {
  public var boot: Instant
  public var wall: WallTime

  public init(boot: Instant, wall: WallTime) {
    self.boot = boot
    self.wall = wall
  }
}

/// Names one boot of this machine: `/proc/sys/kernel/random/boot_id`, 32 hexadecimal digits
/// without dashes.
public struct BootID: Hashable, Sendable, CustomStringConvertible {
  public var description: String

  public init(_ description: String) { self.description = description }
}

/// A point in time that can be compared after a reboot: both clocks and the boot they belong to.
public struct Moment: Hashable, Sendable {
  public var bootID: BootID
  public var boot: Instant
  public var wall: WallTime

  public init(bootID: BootID, now: Now) {
    self.bootID = bootID
    self.boot = now.boot
    self.wall = now.wall
  }

  /// How long ago this was: by the boot clock within the same boot, by the wall clock otherwise;
  /// never negative.
  public func elapsed(until now: Now, in bootID: BootID) -> Duration {
    max(.zero, bootID == self.bootID ? now.boot - boot : now.wall - wall)
  }
}

extension Duration {
  /// This duration in microseconds, truncated towards zero and clamped to ±146,000 years, so that
  /// the sum of two never overflows.
  public var wholeMicroseconds: Int64 {
    let limit = Int64.max / 2
    let (seconds, attoseconds) = components
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
    guard !overflow, abs(product) < limit else { return seconds < 0 ? -limit : limit }
    return product + attoseconds / 1_000_000_000_000
  }
}

func saturatingAdd(_ left: Int64, _ right: Int64) -> Int64 {
  let (sum, overflow) = left.addingReportingOverflow(right)
  return overflow ? (left < 0 ? .min : .max) : sum
}

func saturatingSubtract(_ left: Int64, _ right: Int64) -> Int64 {
  let (difference, overflow) = left.subtractingReportingOverflow(right)
  return overflow ? (left < 0 ? .min : .max) : difference
}

func saturatingMultiply(_ left: Int64, _ right: Int64) -> Int64 {
  let (product, overflow) = left.multipliedReportingOverflow(by: right)
  return overflow ? ((left < 0) == (right < 0) ? .max : .min) : product
}
