import AuthModel
import CLinux
import Glibc
import Scheduling

/// Waits on the loopback interface for a browser that brings the answer (RFC 8252 section 7.3).
///
/// Open from just before the browser is sent off until the answer is there. Anything on this machine
/// can connect meanwhile: a connection that is slow, large or not the answer costs the login nothing.
final class LoopbackListener {
  /// Beyond this the oldest goes: who only connects must not keep the browser out.
  static let connectionLimit = 16
  /// A browser has sent its request long before.
  static let connectionPatience = Duration.seconds(10)

  /// The `redirect_uri`.
  let uri: String
  private let path: String
  private let descriptor: Int32
  private let hold: SignalHold
  private var connections: [LoopbackConnection] = []

  /// - Parameter redirect: nil: the standard one, or its twin on `[::1]` where there is no 127.0.0.1.
  init(_ redirect: LoopbackRedirect?, hold: SignalHold) throws(AgentError) {
    var twin = LoopbackRedirect.standard
    twin.host = .ipv6
    let wanted = redirect ?? .standard
    var bound = LoopbackSocket.listen(wanted)
    if case .failure = bound, redirect == nil { bound = LoopbackSocket.listen(twin) }
    switch bound {
    case .failure(let failure):
      throw .system(action: "listen on", path: wanted.uri(port: wanted.port ?? 0), code: failure.code)
    case .success(let socket):
      descriptor = socket.descriptor
      uri = socket.redirect.uri(port: socket.port)
      path = wanted.path
    }
    self.hold = hold
  }

  deinit { close(descriptor) }

  /// Answers requests until one is accepted.
  ///
  /// - Parameter judge: is given the query of each request for our path, and says what to answer it,
  ///   and what is returned if it was the right one.
  /// - Throws: if a stop is requested; `refused` at `deadline`.
  func wait<Answer>(
    until deadline: Instant, judge: (Secret) -> (reply: LoopbackReply, answer: Answer?),
    whileWaiting: () -> Void
  ) throws(AgentError) -> Answer {
    while SystemClock.boot < deadline {
      if hold.isStopRequested { throw .stopRequested }
      whileWaiting()
      poll()
      for connection in connections {
        guard let query = connection.read(path: path) else { continue }
        let (reply, answer) = judge(query)
        connection.finish(reply)
        if let answer { return answer }
      }
      connections.removeAll { $0.isOver }
    }
    throw .refused(what: "the login", reason: "no browser came back in time; start again")
  }

  /// Until something can be read, or a fraction of a second: somebody may want us to stop.
  private func poll() {
    var set = connections.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
    set.append(pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0))
    guard Glibc.poll(&set, nfds_t(set.count), 200) > 0 else { return }
    guard let listening = set.last, listening.revents != 0 else { return }
    let accepted = nl_accept(descriptor)
    if accepted >= 0 {
      if connections.count >= Self.connectionLimit { connections.removeFirst() }
      connections.append(
        LoopbackConnection(accepted, deadline: SystemClock.boot + Self.connectionPatience))
    }
  }
}
