import CLinux
import Glibc
public import Scheduling

/// The machine's clocks and the names of the machine and of this boot.
public nonisolated enum SystemClock {
  /// `CLOCK_BOOTTIME` (counts in suspend, never steps) and `CLOCK_REALTIME`, read together.
  public static func now() -> Now {
    Now(
      boot: Instant(microseconds: microseconds(CLOCK_BOOTTIME)),
      wall: WallTime(microseconds: microseconds(CLOCK_REALTIME)))
  }

  /// Whether the wall clock has been set by a source of time in this boot: what timedatectl(1) calls
  /// "System clock synchronized", or once was so by systemd-timesyncd.service(8).
  public static var isSynchronized: Bool {
    // The kernel lets its estimate of the error grow while nobody corrects the clock, up to 16 seconds
    // (adjtimex(2)). STA_UNSYNC is not asked: it may be set only to keep the kernel from writing to the RTC.
    nl_clock_error() < 16_000_000 || access("/run/systemd/timesync/synchronized", F_OK) == 0
  }

  /// The kernel's name for this boot; the same for all processes until the next reboot.
  public static func bootID() throws(PlatformError) -> BootID {
    let path = "/proc/sys/kernel/random/boot_id"
    let text = try SourceFiles.text(of: path, limit: 128)
    let digits = text.filter(\.isHexDigit)
    guard digits.count == 32 else {
      throw .unsafePath(path, why: "it does not hold a boot id")
    }
    return BootID(digits.lowercased())
  }

  /// machine-id(5): 32 hexadecimal digits that outlive reboots. Where the file is missing (small
  /// containers) the host name stands in, so that stable offsets stay stable.
  public static func machineID() -> String {
    for path in ["/etc/machine-id", "/var/lib/dbus/machine-id"] {
      guard let text = try? SourceFiles.text(of: path, limit: 128) else { continue }
      let digits = text.filter(\.isHexDigit)
      if digits.count == 32 { return digits.lowercased() }
    }
    return hostName()
  }

  public static var processID: Int32 { getpid() }

  /// gethostname(2).
  static func hostName() -> String {
    var name = [CChar](repeating: 0, count: 256)
    guard gethostname(&name, name.count - 1) == 0 else { return "localhost" }
    return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// `CLOCK_MONOTONIC` in microseconds: what sd_notify(3) wants in MONOTONIC_USEC.
  static func monotonicMicroseconds() -> Int64 { microseconds(CLOCK_MONOTONIC) }

  private static func microseconds(_ clock: Int32) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
  }
}
