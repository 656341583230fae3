import Glibc
public import Scheduling

/// The machine's clocks. The only place in this module that reads one.
public struct SystemClock: Sendable {
  public let bootID: BootID

  /// Reads which boot this is.
  public init() throws(AgentError) {
    let path = "/proc/sys/kernel/random/boot_id"
    guard let bytes = try File.read(path, limit: 64) else {
      throw .system(action: "find out which boot this is", path: path, code: ENOENT)
    }
    bootID = BootID(String(decoding: bytes.filter { isxdigit(Int32($0)) != 0 }, as: UTF8.self))
  }

  public var now: Now {
    Now(boot: Self.boot, wall: Self.wall)
  }

  public var moment: Moment { Moment(bootID: bootID, now: now) }

  static var wall: WallTime { WallTime(microseconds: microseconds(CLOCK_REALTIME)) }

  static var boot: Instant { Instant(microseconds: microseconds(CLOCK_BOOTTIME)) }

  private static func microseconds(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
  }
}
