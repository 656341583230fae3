import Dispatch
import Glibc

/// Signals as events on the main queue.
///
/// Create it first thing in `main`, before other threads exist: each thread must have the signals
/// blocked for the source to see them.
public final class SignalWatch {
  private var sources: [any DispatchSourceSignal] = []

  /// `onSignal` gets the signal's number.
  public init(_ signals: [Int32], onSignal: @escaping (Int32) -> Void) {
    for number in signals {
      let source = DispatchSource.makeSignalSource(signal: number, queue: .main)
      source.setEventHandler { onSignal(number) }
      source.activate()
      sources.append(source)
    }
  }

  /// SIGTERM, SIGINT and SIGHUP: what a daemon is told by its manager and its terminal.
  public static func termination(onSignal: @escaping (Int32) -> Void) -> SignalWatch {
    SignalWatch([SIGTERM, SIGINT, SIGHUP], onSignal: onSignal)
  }

  /// A write to a closed pipe or socket is an error to handle, not a reason to die. Children get
  /// the default action back.
  public static func ignoreBrokenPipes() { signal(SIGPIPE, SIG_IGN) }

  public func cancel() {
    for source in sources { source.cancel() }
  }

  isolated deinit { cancel() }
}
