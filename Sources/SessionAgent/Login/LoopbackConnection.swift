import Glibc
import Scheduling

/// One connection to the loopback listener: one request, one answer, the end.
final class LoopbackConnection {
  let descriptor: Int32
  private(set) var isOver = false
  private let deadline: Instant
  private let head = Secret(capacity: 2 << 10)

  init(_ descriptor: Int32, deadline: Instant) {
    self.descriptor = descriptor
    self.deadline = deadline
  }

  deinit { close(descriptor) }

  /// Reads what has come; returns the query once a request for `path` is complete. Answers anything
  /// else itself.
  func read(path: String) -> Secret? {
    guard !isOver else { return nil }
    receive()
    switch LoopbackRequest(head, path: path) {
    case .query(let query): return query
    case .refused(let reply): finish(reply)
    case .incomplete: if SystemClock.boot >= deadline { isOver = true }
    }
    return nil
  }

  /// Answers and closes. A client that does not take a few hundred bytes at once goes without them.
  func finish(_ reply: LoopbackReply) {
    if isOver { return }
    isOver = true
    let bytes = reply.bytes
    _ = send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    shutdown(descriptor, Int32(SHUT_WR))
  }

  private func receive() {
    var buffer = [UInt8](repeating: 0, count: 4096)
    defer { File.wipe(&buffer) }
    while head.count <= LoopbackRequest.headLimit {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      if count < 0 && errno == EINTR { continue }
      if count < 0 && errno == EAGAIN { return }
      guard count > 0 else {
        // Half a request and then its end: nobody waits for an answer.
        if case .incomplete = LoopbackRequest(head, path: "/") { isOver = true }
        return
      }
      buffer.withUnsafeBytes { head.append(UnsafeRawBufferPointer(rebasing: $0.prefix(count))) }
    }
  }
}
