import ControlProtocol
import Dispatch
import Glibc
import LinuxPlatform
import Synchronization

/// A daemon that answers the calls of one connection as a test says.
nonisolated final class ScriptedDaemon: Sendable {
  enum Step {
    case reply(ControlReply)
    /// The reply, a few bytes at a time.
    case pieces(ControlReply)
    /// These bytes, whatever they mean.
    case bytes([UInt8])
    /// These bytes, and then the end.
    case cut([UInt8])
    case hangUp
    /// No answer until the client goes away.
    case silence
  }

  let runtime: String
  private let listener: Int32
  private let received = Mutex<[ControlCall]>([])
  private let connection = Mutex<Int32?>(nil)
  private let ended = DispatchSemaphore(value: 0)

  /// Listens on the runtime folder's control socket before this returns.
  init(runtime: String, _ steps: [Step]) {
    self.runtime = runtime
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: "\(runtime)/control.sock".utf8) }
    listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    let bound = withUnsafePointer(to: address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    precondition(bound == 0 && listen(listener, 4) == 0, "the test's socket can't be made")
    DispatchQueue.global().async { [self] in
      serve(steps)
      ended.signal()
    }
  }

  /// Ends the daemon and returns what it was asked.
  func finish() -> [ControlCall] {
    shutdown(listener, Int32(SHUT_RDWR))
    // The client may still hold its end.
    connection.withLock { fd in _ = fd.map { shutdown($0, Int32(SHUT_RD)) } }
    ended.wait()
    close(listener)
    return received.withLock { $0 }
  }

  private func serve(_ steps: [Step]) {
    let fd = accept(listener, nil, nil)
    guard fd >= 0 else { return }
    connection.withLock { $0 = fd }
    defer {
      connection.withLock { $0 = nil }
      close(fd)
    }
    var frames = FrameBuffer()
    for step in steps {
      guard let frame = nextFrame(&frames, fd) else { return }
      if let call = try? Request(decoding: frame).call.get() { received.withLock { $0.append(call) } }
      switch step {
      case .reply(let reply): send((reply.frame ?? []) + [0], fd)
      case .pieces(let reply):
        for byte in (reply.frame ?? []) + [0] { send([byte], fd) }
      case .bytes(let bytes): send(bytes, fd)
      case .cut(let bytes): return send(bytes, fd)
      case .hangUp: return
      case .silence: break
      }
    }
    _ = nextFrame(&frames, fd)
  }

  private func nextFrame(_ frames: inout FrameBuffer, _ fd: Int32) -> [UInt8]? {
    while true {
      if let frame = try? frames.next() { return frame }
      var chunk = [UInt8](repeating: 0, count: 4096)
      let count = read(fd, &chunk, chunk.count)
      guard count > 0 else { return nil }
      frames.append(chunk[..<count])
    }
  }

  private func send(_ bytes: [UInt8], _ fd: Int32) {
    _ = Glibc.send(fd, bytes, bytes.count, Int32(MSG_NOSIGNAL))
  }
}
