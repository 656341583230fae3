import Glibc
import LinuxPlatform
import Scheduling

/// A blocking Unix stream socket whose every step ends at a deadline.
nonisolated struct ControlSocket: ~Copyable {
  private let fd: Int32

  nonisolated enum Failure: Error, Equatable {
    /// A system call failed; its errno.
    case system(Int32)
    case pathTooLong
    case timedOut
  }

  private init(owning fd: Int32) { self.fd = fd }

  /// Connects to the socket at a path. A daemon that is alive but too busy to accept counts as not
  /// answering in time.
  static func connected(to path: String, deadline: Instant) throws(Failure) -> ControlSocket {
    guard let address = UnixAddress(path) else { throw .pathTooLong }
    let fd = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard fd >= 0 else { throw .system(errno) }
    let socket = ControlSocket(owning: fd)
    socket.limitSending(until: deadline)
    guard address.connect(fd) == 0 else {
      throw errno == EAGAIN ? .timedOut : .system(errno)
    }
    return socket
  }

  /// connect(2) on a Unix socket waits for room in the queue as long as a send would (unix(7)).
  private func limitSending(until deadline: Instant) {
    let left = max(1, (deadline - SystemClock.now().boot).wholeMicroseconds)
    var limit = timeval(tv_sec: Int(left / 1_000_000), tv_usec: Int(left % 1_000_000))
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
  }

  deinit { close(fd) }

  func send(_ bytes: [UInt8]) throws(Failure) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(fd, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count >= 0 {
        rest = rest.dropFirst(count)
      } else if errno != EINTR {
        throw errno == EAGAIN ? .timedOut : .system(errno)
      }
    }
  }

  /// What has arrived, after waiting for at least one byte; empty when the peer has closed.
  func receive(deadline: Instant?) throws(Failure) -> [UInt8] {
    while true {
      var poll = pollfd(fd: fd, events: Int16(POLLIN), revents: 0)
      let ready = Glibc.poll(&poll, 1, Self.milliseconds(until: deadline))
      if ready == 0 { throw .timedOut }
      var chunk = [UInt8](repeating: 0, count: 64 * 1024)
      let count = ready < 0 ? -1 : recv(fd, &chunk, chunk.count, 0)
      if count >= 0 { return Array(chunk[..<count]) }
      guard errno == EINTR else { throw .system(errno) }
    }
  }

  private static func milliseconds(until deadline: Instant?) -> Int32 {
    guard let deadline else { return -1 }
    let left = (deadline - SystemClock.now().boot).wholeMicroseconds
    return Int32(clamping: max(0, (left + 999) / 1_000))
  }
}
