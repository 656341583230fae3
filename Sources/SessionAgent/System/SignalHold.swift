import Glibc
import Scheduling

/// Holds SIGTERM, SIGINT and SIGHUP back, so that nothing but a kill interrupts a spend.
///
/// They stay pending in the kernel and are looked at only where stopping loses nothing: between
/// requests, and while waiting.
public struct SignalHold {
  private let held: sigset_t

  /// Blocks the three signals for the rest of the process.
  public init() {
    var set = sigset_t()
    sigemptyset(&set)
    for signal in [SIGTERM, SIGINT, SIGHUP] { sigaddset(&set, signal) }
    pthread_sigmask(SIG_BLOCK, &set, nil)
    // A peer that closes its end must be an error of the write, not the end of the process.
    signal(SIGPIPE, SIG_IGN)
    held = set
  }

  /// Whether somebody asked this process to stop.
  public var isStopRequested: Bool {
    var pending = sigset_t()
    sigpending(&pending)
    return [SIGTERM, SIGINT, SIGHUP].contains { sigismember(&pending, $0) == 1 }
  }

  /// Waits; returns early, with true, if a stop is requested. The request stays pending.
  public func wait(for duration: Duration) -> Bool {
    let deadline = SystemClock.boot + duration
    while !isStopRequested {
      let left = deadline - SystemClock.boot
      guard left > .zero else { return false }
      // Short steps: a suspend must not stretch the wait, and poll's clock stops in one.
      poll(nil, 0, Int32(clamping: min(left, .milliseconds(200)).wholeMicroseconds / 1_000 + 1))
    }
    return true
  }
}
