import Glibc
public import Scheduling

/// The daemon's next wake-up: one one-shot timer on the boot clock, which counts while the machine
/// sleeps, and one on the wall clock, which follows every step.
///
/// Dispatch's own timers stop in suspend (`CLOCK_MONOTONIC`), so both are timerfd(2)s.
public final class WakeTimer {
  private let boot: TimerSource
  private let wall: TimerSource
  private var armedBoot: Instant?
  private var armedWall: WallTime?

  /// `onWake` is called on the main queue, once for each arming that comes due.
  public init(onWake: @escaping () -> Void) throws(PlatformError) {
    let hook = Hook()
    boot = try TimerSource(clock: CLOCK_BOOTTIME) { _ in hook.bootDue() }
    wall = try TimerSource(clock: CLOCK_REALTIME) { _ in hook.wallDue() }
    hook.bootDue = { [weak self] in
      self?.armedBoot = nil
      onWake()
    }
    hook.wallDue = { [weak self] in
      self?.armedWall = nil
      onWake()
    }
  }

  /// Replaces both wake-ups; nil means none. A time that has passed fires at once. Arming what is
  /// already armed costs nothing.
  public func arm(boot: Instant?, wall: WallTime?) {
    if boot != armedBoot {
      armedBoot = boot
      self.boot.arm(at: boot?.microseconds)
    }
    if wall != armedWall {
      armedWall = wall
      self.wall.arm(at: wall?.microseconds)
    }
  }

  /// Both timers' descriptors, for tests that look them up in `/proc/self/fdinfo`.
  var descriptors: (boot: Int32, wall: Int32) { (boot.fd, wall.fd) }

  public func cancel() {
    boot.cancel()
    wall.cancel()
  }

  /// The timers exist before `self` does.
  private final class Hook {
    var bootDue: () -> Void = {}
    var wallDue: () -> Void = {}
  }
}
