import Dispatch
import Glibc

/// A control socket that takes one call and answers it with given bytes.
struct StandInDaemon: Sendable {
  private let listener: Int32

  init(at path: String) throws {
    struct NoSocket: Error { let code: Int32 }
    listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let result = withUnsafePointer(to: address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard result == 0, listen(listener, 1) == 0 else { throw NoSocket(code: errno) }
  }

  /// Waits for a call, lets `answer` make the reply of it, and returns the call. Without a reply it keeps
  /// the connection until the client closes it.
  func serve(_ answer: @escaping @Sendable (String) -> String?) async -> String {
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async { continuation.resume(returning: serveOne(answer)) }
    }
  }

  private func serveOne(_ answer: (String) -> String?) -> String {
    let connection = accept(listener, nil, nil)
    defer {
      close(connection)
      close(listener)
    }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while bytes.last != 0 {
      let count = recv(connection, &chunk, chunk.count, 0)
      guard count > 0 else { break }
      bytes += chunk[..<count]
    }
    let call = String(decoding: bytes.dropLast(), as: UTF8.self)
    if let reply = answer(call) {
      let frame = Array(reply.utf8)
      send(connection, frame, frame.count, Int32(MSG_NOSIGNAL))
    } else {
      while recv(connection, &chunk, chunk.count, 0) > 0 {}
    }
    return call
  }
}
