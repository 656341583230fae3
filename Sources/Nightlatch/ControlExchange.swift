import ControlProtocol
import Dispatch
import Glibc

/// One question to the daemon over its control socket, and the answer.
///
/// The socket calls block, so they happen on a thread of Dispatch's; a cancelled task shuts the socket
/// down and so ends them.
struct ControlExchange: Sendable {
  let socketPath: String

  nonisolated(nonsending) func ask<Body: Decodable>(
    _ call: ControlCall, for type: Body.Type
  ) async throws(NightlatchError) -> Body {
    let fd = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard fd >= 0 else { throw unreachable }
    defer { close(fd) }
    let outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        DispatchQueue.global().async {
          continuation.resume(
            returning: Result { () throws(NightlatchError) in try exchange(call, over: fd) })
        }
      }
    } onCancel: {
      shutdown(fd, Int32(SHUT_RDWR))
    }
    if Task.isCancelled { throw .cancelled }
    let frame = try outcome.get()
    do {
      return try ControlReply.decode(type, from: frame)
    } catch .tokenUnavailable(_, let state, let reason) {
      throw .noToken(authState: state, reason: reason)
    } catch {
      throw .refused(reason: error.description)
    }
  }
}

extension ControlExchange {
  private var unreachable: NightlatchError { .unreachable(socket: socketPath, code: errno) }

  /// The reply's frame.
  private func exchange(_ call: ControlCall, over fd: Int32) throws(NightlatchError) -> [UInt8] {
    try connect(fd)
    try send(call.frame + [0], over: fd)
    var frames = FrameBuffer(limit: FrameBuffer.replyLimit)
    while true {
      do {
        if let frame = try frames.next() { return frame }
      } catch {
        throw .refused(reason: error.description)
      }
      frames.append(try receive(over: fd))
    }
  }

  private func connect(_ fd: Int32) throws(NightlatchError) {
    var address = sockaddr_un()
    let path = Array(socketPath.utf8)
    guard path.count < MemoryLayout.size(ofValue: address.sun_path), !path.contains(0) else {
      throw .unreachable(socket: socketPath, code: ENAMETOOLONG)
    }
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
    let result = withUnsafePointer(to: address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(fd, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard result == 0 else { throw unreachable }
  }

  private func send(_ bytes: [UInt8], over fd: Int32) throws(NightlatchError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(fd, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw .hungUp(socket: socketPath) }
      rest = rest.dropFirst(count)
    }
  }

  private func receive(over fd: Int32) throws(NightlatchError) -> [UInt8] {
    var chunk = [UInt8](repeating: 0, count: 64 * 1024)
    while true {
      let count = recv(fd, &chunk, chunk.count, 0)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { throw .hungUp(socket: socketPath) }
      return Array(chunk[..<count])
    }
  }
}
