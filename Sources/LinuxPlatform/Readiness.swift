import CLinux
import Dispatch
import Glibc

/// Which descriptors are ready: one epoll(7) instance under one Dispatch source that is never cancelled.
///
/// A Dispatch source for each descriptor would be the obvious way. But while its event thread walks the
/// records of the descriptors that are ready, cancelling a source frees them: a daemon that watches four
/// descriptors a run crashed once in twenty thousand runs, in `_dispatch_event_loop_drain`. Here a watch is
/// a number in a table of the main queue, and a stale event finds nothing under it.
@MainActor final class Readiness {
  static let shared = Readiness()

  private let epoll: Int32
  private let source: any DispatchSourceRead
  private var handlers: [UInt64: () -> Void] = [:]
  private var lastToken: UInt64 = 0

  private init() {
    epoll = nl_epoll()
    precondition(epoll >= 0, "no descriptor is left to watch others with")
    source = DispatchSource.makeReadSource(fileDescriptor: epoll, queue: .main)
    source.setEventHandler { Readiness.shared.serve() }
    source.activate()
  }

  /// Calls `handler` on the main queue as long as the descriptor can be read (or written). A descriptor that
  /// can't be watched, such as one of a regular file, is always ready: the handler is called once.
  func watch(_ fd: Int32, writable: Bool, _ handler: @escaping () -> Void) -> UInt64 {
    lastToken += 1
    let token = lastToken
    handlers[token] = handler
    if nl_epoll_add(epoll, fd, writable ? 1 : 0, token) != 0 {
      Later.run { [weak self] in self?.handlers[token]?() }
    }
    return token
  }

  /// From here on the handler is not called any more, and the descriptor may be closed.
  func forget(_ token: UInt64, _ fd: Int32) {
    guard handlers.removeValue(forKey: token) != nil else { return }
    _ = nl_epoll_remove(epoll, fd)
  }

  /// One look; what is still ready afterwards makes the source fire again.
  private func serve() {
    var tokens = [UInt64](repeating: 0, count: 64)
    let count = nl_epoll_ready(epoll, &tokens, Int32(tokens.count))
    for token in tokens.prefix(max(0, Int(count))) { handlers[token]?() }
  }
}
