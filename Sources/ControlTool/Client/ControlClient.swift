import ControlProtocol
import Glibc
import LinuxPlatform
import Scheduling

/// Asks the daemon one question at a time.
final class ControlClient {
  private let socket: ControlSocket
  private let path: String
  private let patience: Duration
  private var frames = FrameBuffer(limit: FrameBuffer.replyLimit)

  /// `advice` is the sentence that says how to start the daemon; `patience` bounds the connection and
  /// each answer that does not have to wait for something to end.
  init(socket path: String, advice: String, patience: Duration) throws(ToolError) {
    self.path = path
    self.patience = patience
    do {
      socket = try ControlSocket.connected(to: path, deadline: SystemClock.now().boot + patience)
    } catch {
      throw Self.explain(error, path, advice)
    }
  }

  /// Sends a call and returns its reply. `waits`: the daemon answers only when something has ended, however
  /// long that takes. `span`: the daemon may take so much longer, because it was asked to wait.
  func ask<Body: Decodable>(
    _ call: ControlCall, for type: Body.Type, waits: Bool = false, lasting span: Duration = .zero
  ) throws(ToolError) -> Body {
    let deadline = waits ? nil : SystemClock.now().boot + patience + span
    let frame = try exchange(call, deadline)
    do {
      return try ControlReply.decode(type, from: frame)
    } catch {
      throw .refused(error)
    }
  }

  private func exchange(_ call: ControlCall, _ deadline: Instant?) throws(ToolError) -> [UInt8] {
    let method = String(call.method.split(separator: ".").last ?? "")
    do throws(ControlSocket.Failure) {
      try socket.send(call.frame + [0])
    } catch {
      throw error == .timedOut
        ? .timedOut(socket: path, method: method) : .hungUp(socket: path, method: method)
    }
    while true {
      if let frame = try nextFrame() { return frame }
      frames.append(try receive(method, deadline))
    }
  }

  private func receive(_ method: String, _ deadline: Instant?) throws(ToolError) -> [UInt8] {
    do throws(ControlSocket.Failure) {
      let bytes = try socket.receive(deadline: deadline)
      if !bytes.isEmpty { return bytes }
    } catch .timedOut {
      throw .timedOut(socket: path, method: method)
    } catch {
      // The same as an orderly end: there will be no answer.
    }
    throw .hungUp(socket: path, method: method)
  }

  private func nextFrame() throws(ToolError) -> [UInt8]? {
    do {
      return try frames.next()
    } catch {
      throw .refused(error)
    }
  }

  private static func explain(
    _ failure: ControlSocket.Failure, _ path: String, _ advice: String
  ) -> ToolError {
    switch failure {
    case .timedOut: .timedOut(socket: path, method: "the connection")
    case .pathTooLong:
      .unreachable(
        socket: path, reason: "the path is longer than the 107 bytes that a Unix socket can have",
        advice: "Choose a shorter --runtime folder.")
    case .system(EACCES), .system(EPERM): .forbidden(socket: path, reason: "permission denied")
    case .system(ENOENT): .unreachable(socket: path, reason: "there is no such socket", advice: advice)
    case .system(ECONNREFUSED):
      .unreachable(socket: path, reason: "nobody listens there any more", advice: advice)
    case .system(let code):
      .unreachable(socket: path, reason: String(cString: strerror(code)), advice: advice)
    }
  }
}
