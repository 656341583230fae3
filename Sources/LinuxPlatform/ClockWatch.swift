import Glibc
import Scheduling

/// Tells when the wall clock is set: by an administrator, by NTP's first step, or on resume.
///
/// A timerfd armed for the end of time with `TFD_TIMER_CANCEL_ON_SET` (timerfd_create(2)) becomes
/// readable with ECANCELED at each discontinuous change of `CLOCK_REALTIME`.
public final class ClockWatch {
  private let timer: TimerSource

  public init(onStep: @escaping () -> Void) throws(PlatformError) {
    let hook = Hook()
    timer = try TimerSource(clock: CLOCK_REALTIME) { _ in hook.fired() }
    hook.fired = { [weak self] in
      self?.watch()
      onStep()
    }
    watch()
  }

  private func watch() { timer.arm(at: .max, cancelOnSet: true) }

  var fd: Int32 { timer.fd }

  public func cancel() { timer.cancel() }

  /// The timer exists before `self` does.
  private final class Hook { var fired: () -> Void = {} }
}
