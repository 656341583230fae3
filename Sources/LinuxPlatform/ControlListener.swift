import CLinux
import Glibc

/// A listening Unix stream socket and the connections made to it.
@MainActor public final class ControlListener {
  public struct Limits: Sendable {
    /// A connection beyond this many is closed at once.
    public var connections = 64
    /// The longest message, and the most that may wait to be sent to a slow peer, in bytes.
    public var message = 1 << 20
    public var unsent = 8 << 20

    public init() {}
  }

  private let limits: Limits
  private let onConnection: (Connection) -> Void
  private var source: FileSource?
  private var connections: [Int: Connection] = [:]
  private var lastNumber = 0
  private var boundPath: String?
  private var reserve = Glibc.open("/dev/null", O_RDONLY | O_CLOEXEC)

  /// Listens on a socket that the service manager opened; takes it over.
  public init(owning fd: Int32, limits: Limits = Limits(), onConnection: @escaping (Connection) -> Void) {
    self.limits = limits
    self.onConnection = onConnection
    _ = fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK)
    _ = fcntl(fd, F_SETFD, FD_CLOEXEC)
    source = FileSource(owning: fd, onReadable: { [weak self] in self?.accept() })
  }

  /// Creates the socket at `path` with permissions `mode`. What a dead daemon left there is replaced; a
  /// socket that still answers, and a file that is no socket, are not.
  public convenience init(
    path: String, mode: UInt32, limits: Limits = Limits(), onConnection: @escaping (Connection) -> Void
  ) throws(PlatformError) {
    let fd = try UnixSocket.listen(at: path, mode: mode)
    self.init(owning: fd, limits: limits, onConnection: onConnection)
    boundPath = path
  }

  public var connectionCount: Int { connections.count }

  /// Closes the listener and every connection, and removes the socket it created.
  public func cancel() {
    source?.cancel()
    source = nil
    for connection in connections.values { connection.close() }
    if let boundPath { unlink(boundPath) }
    boundPath = nil
  }

  /// Takes at most a handful in one turn of the loop.
  private func accept() {
    for _ in 0..<16 {
      guard let source else { return }
      let fd = nl_accept(source.fd)
      if fd >= 0 {
        open(fd)
      } else {
        if errno == EMFILE || errno == ENFILE { refuseOne(source.fd) }
        return
      }
    }
  }

  /// Out of descriptors: the waiting client would keep the source firing without end. The descriptor kept
  /// for this moment is given up to accept and close its connection.
  private func refuseOne(_ listener: Int32) {
    Glibc.close(reserve)
    let fd = nl_accept(listener)
    if fd >= 0 { Glibc.close(fd) }
    reserve = Glibc.open("/dev/null", O_RDONLY | O_CLOEXEC)
  }

  private func open(_ fd: Int32) {
    guard connections.count < limits.connections, let peer = try? PeerCredentials(of: fd) else {
      Glibc.close(fd)
      return
    }
    lastNumber += 1
    let number = lastNumber
    let connection = Connection(owning: fd, number: number, peer: peer, limits: limits)
    connection.onRemoved = { [weak self] in self?.connections[number] = nil }
    connections[number] = connection
    onConnection(connection)
  }

  // Needs the class to name its actor: an optimized build forgets a default isolation.
  isolated deinit {
    cancel()
    Glibc.close(reserve)
  }
}
