import Glibc
public import Scheduling

extension Instant {
  /// The boot clock's reading; no system call (vdso(7)).
  public static func current() -> Instant { Instant(microseconds: reading(of: CLOCK_BOOTTIME)) }
}

extension WallTime {
  /// The wall clock's reading; no system call (vdso(7)).
  public static func current() -> WallTime { WallTime(microseconds: reading(of: CLOCK_REALTIME)) }
}

extension Now {
  /// Both clocks, now.
  public static func current() -> Now { Now(boot: .current(), wall: .current()) }
}

/// Microseconds.
private func reading(of clock: clockid_t) -> Int64 {
  var time = timespec()
  clock_gettime(clock, &time)
  return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
}

extension BootID {
  /// The running boot, from `/proc/sys/kernel/random/boot_id` (random(4)); nil when that can't be read.
  public static func current() -> BootID? {
    let fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
    guard fd >= 0 else { return nil }
    defer { close(fd) }
    var text = [UInt8](repeating: 0, count: 64)
    let count = read(fd, &text, text.count)
    let digits = text.prefix(max(0, count)).filter { isxdigit(Int32($0)) != 0 }
    return digits.count == 32 ? BootID(String(decoding: digits, as: UTF8.self)) : nil
  }
}
