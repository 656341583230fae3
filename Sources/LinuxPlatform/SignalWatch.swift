import Dispatch
import Glibc

/// Signals as events on the main queue.
///
/// Create it first thing in `main`, before other threads exist: they inherit that the signals are blocked,
/// so that none can act before its source listens.
@MainActor public final class SignalWatch {
  private var sources: [any DispatchSourceSignal] = []

  /// `onSignal` gets the signal's number.
  public convenience init(_ signals: [Int32], onSignal: @escaping (Int32) -> Void) {
    self.init(signals, onSignal: onSignal, onListening: {})
  }

  /// `onListening` is called once for each signal, when its source has begun to listen.
  init(_ signals: [Int32], onSignal: @escaping (Int32) -> Void, onListening: @escaping () -> Void) {
    Self.block(signals)
    for number in signals {
      let source = DispatchSource.makeSignalSource(signal: number, queue: .main)
      source.setEventHandler { onSignal(number) }
      source.setRegistrationHandler { onListening() }
      source.activate()
      sources.append(source)
    }
  }

  /// SIGTERM, SIGINT and SIGHUP: what a daemon is told by its manager and its terminal.
  public static func termination(onSignal: @escaping (Int32) -> Void) -> SignalWatch {
    SignalWatch([SIGTERM, SIGINT, SIGHUP], onSignal: onSignal)
  }

  private static func block(_ signals: [Int32]) {
    var set = sigset_t()
    sigemptyset(&set)
    for number in signals { sigaddset(&set, number) }
    pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  /// A write to a closed pipe or socket is an error to handle, not a reason to die. Children get
  /// the default action back.
  public static func ignoreBrokenPipes() { signal(SIGPIPE, SIG_IGN) }

  public func cancel() {
    for source in sources { source.cancel() }
  }

  // Needs the class to name its actor: an optimized build forgets a default isolation.
  isolated deinit { cancel() }
}
