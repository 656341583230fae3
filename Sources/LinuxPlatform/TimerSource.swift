import CLinux
import Glibc
import Scheduling

/// One timerfd(2) under the main queue, armed with absolute times of its clock.
final class TimerSource {
  enum Expiry {
    case due
    /// The wall clock was set (only with `cancelOnSet`).
    case clockSet
  }

  private let source: FileSource

  init(clock: Int32, onExpiry: @escaping (Expiry) -> Void) throws(PlatformError) {
    let fd = timerfd_create(clock, Int32(TFD_CLOEXEC) | Int32(TFD_NONBLOCK))
    guard fd >= 0 else { throw .last("create a timer") }
    source = FileSource(
      owning: fd,
      onReadable: {
        if let expiry = TimerSource.take(fd) { onExpiry(expiry) }
      })
  }

  var fd: Int32 { source.fd }

  /// Arms the timer for `microseconds` of its clock (a past time fires at once); nil disarms it.
  func arm(at microseconds: Int64?, cancelOnSet: Bool = false) {
    var setting = itimerspec()
    if let microseconds {
      // All zeroes would disarm: the earliest time is one nanosecond past the epoch.
      let time = max(microseconds, 0)
      setting.it_value.tv_sec = Int(time / 1_000_000)
      setting.it_value.tv_nsec = time == 0 ? 1 : Int(time % 1_000_000) * 1_000
    }
    let cancel = cancelOnSet ? Int32(TFD_TIMER_CANCEL_ON_SET) : 0
    timerfd_settime(source.fd, Int32(TFD_TIMER_ABSTIME) | cancel, &setting, nil)
  }

  func cancel() { source.cancel() }

  private static func take(_ fd: Int32) -> Expiry? {
    var count: UInt64 = 0
    if read(fd, &count, MemoryLayout<UInt64>.size) > 0 { return .due }
    return errno == ECANCELED ? .clockSet : nil
  }
}
