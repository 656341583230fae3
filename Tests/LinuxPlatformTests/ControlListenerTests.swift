import Glibc
import Testing

@testable import LinuxPlatform

@Suite(.timeLimit(.minutes(1)))
struct ControlListenerTests {
  @Test func `messages go both ways and the peer is known`() async throws {
    let server = try Server()
    let client = try Client(server.path)
    let connection = await server.connections.next()
    var groups = [gid_t](repeating: 0, count: 65_536)
    let count = getgroups(Int32(groups.count), &groups)
    #expect(
      connection.peer
        == PeerCredentials(
          pid: getpid(), uid: geteuid(), gid: getegid(), groups: Array(groups.prefix(Int(max(0, count))))))
    client.write("one\0tw")
    #expect(await server.messages.next() == "one")
    client.write("o\0\0")
    #expect(await server.messages.next() == "two")
    #expect(await server.messages.next() == "")
    connection.send("answer".utf8)
    #expect(client.read() == "answer\0")
    client.close()
    #expect(await server.endings.next() == .closedByPeer)
    #expect(server.listener.connectionCount == 0)
  }

  @Test func `messages sent right before closing all arrive`() async throws {
    let server = try Server()
    let client = try Client(server.path)
    let text = String(repeating: "x", count: 1000)
    for _ in 0..<20 { client.write(text + "\0") }
    client.close()
    for _ in 0..<20 { #expect(await server.messages.next() == text) }
    #expect(await server.endings.next() == .closedByPeer)
  }

  @Test func `a thousand messages in one piece are all handled, a few in a turn`() async throws {
    let server = try Server()
    let client = try Client(server.path)
    client.write(String(repeating: "x\0", count: 1000))
    _ = await server.messages.next()
    #expect(server.messages.all.count < 1000)
    for _ in 1..<1000 { #expect(await server.messages.next() == "x") }
    client.close()
    #expect(await server.endings.next() == .closedByPeer)
  }

  @Test func `a message over the limit ends the connection`() async throws {
    var limits = ControlListener.Limits()
    limits.message = 100
    let server = try Server(limits: limits)
    let client = try Client(server.path)
    client.write(String(repeating: "x", count: 100) + "\0")
    #expect(await server.messages.next().count == 100)
    client.write(String(repeating: "x", count: 101))
    #expect(await server.endings.next() == .messageTooLong)
    let second = try Client(server.path)
    second.write(String(repeating: "x", count: 101) + "\0")
    #expect(await server.endings.next() == .messageTooLong)
    client.close()
    second.close()
  }

  @Test func `a slow peer gets everything, in order`() async throws {
    let server = try Server()
    let client = try Client(server.path)
    let connection = await server.connections.next()
    for number in 0..<20 { connection.send(String(repeating: "\(number % 10)", count: 100_000).utf8) }
    var received = 0
    while received < 20 * 100_001 {
      received += client.read().utf8.count
      await withCheckedContinuation { turn in Later.run { turn.resume() } }
    }
    #expect(received == 20 * 100_001)
    connection.close()
    #expect(await server.endings.next() == .closed)
    client.close()
  }

  @Test func `a peer that does not read is disconnected`() async throws {
    var limits = ControlListener.Limits()
    limits.unsent = 1 << 20
    let server = try Server(limits: limits)
    let client = try Client(server.path)
    let connection = await server.connections.next()
    let message = [UInt8](repeating: 120, count: 1 << 18)
    for _ in 0..<64 where connection.isOpen { connection.send(message) }
    #expect(await server.endings.next() == .peerTooSlow)
    client.close()
  }

  @Test func `a connection too many is closed at once, and makes room again`() async throws {
    var limits = ControlListener.Limits()
    limits.connections = 2
    let server = try Server(limits: limits)
    let clients = [try Client(server.path), try Client(server.path)]
    _ = await server.connections.next()
    _ = await server.connections.next()
    let third = try Client(server.path)
    #expect(await third.end() == 0)
    clients[0].close()
    #expect(await server.endings.next() == .closedByPeer)
    let fourth = try Client(server.path)
    #expect(await server.connections.next().isOpen)
    for client in [clients[1], third, fourth] { client.close() }
  }

  /// In a process of its own, which is another user now and then.
  @Test(.enabled(if: geteuid() == 0, "needs root, to connect as somebody else"))
  func `another user has few connections, and leaves room for the owner`() async {
    await #expect(processExitsWith: .success) { @MainActor in
      var limits = ControlListener.Limits()
      limits.connectionsOfUser = 1
      limits.connections = 2
      let server = try Server(mode: 0o666, limits: limits)
      chmod(server.folder.path, 0o755)
      var clients: [Client] = []
      for (user, isLetIn) in [
        (UInt32(65_534), true), (65_534, false), (65_533, true), (65_532, false), (0, true), (0, true),
        (0, false),
      ] {
        let client = try Client(server.path, as: user)
        clients.append(client)
        if isLetIn {
          #expect(await server.connections.next().peer.uid == user)
        } else {
          #expect(await client.end() == 0)
        }
      }
      for client in clients { client.close() }
    }
  }

  @Test func `the socket has its permissions, and goes with the listener`() async throws {
    for mode: UInt32 in [0o600, 0o660, 0o666] {
      let server = try Server(mode: mode)
      #expect((try? FileStatus(of: server.path))?.permissions == mode)
      server.listener.cancel()
      #expect((try? FileStatus(of: server.path)) == nil)
    }
  }

  @Test func `a dead daemon's socket is replaced, a living one's and a file are not`() throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/control.sock"
    close(try UnixSocket.listen(at: path, mode: 0o600))
    let listener = try ControlListener(path: path, mode: 0o600) { _ in }
    #expect(throws: PlatformError.self) { try ControlListener(path: path, mode: 0o600) { _ in } }
    #expect((try? FileStatus(of: path))?.isSocket == true)
    listener.cancel()
    let file = try folder.file("file", "precious")
    #expect(throws: PlatformError.self) { try ControlListener(path: file, mode: 0o600) { _ in } }
    #expect(try SourceFiles.text(of: file, limit: 100) == "precious")
    let long = folder.path + "/" + String(repeating: "x", count: 200)
    #expect(throws: PlatformError.self) { try ControlListener(path: long, mode: 0o600) { _ in } }
  }

  private final class Server {
    let folder: TemporaryFolder
    let path: String
    let connections = Events<Connection>()
    let messages = Events<String>()
    let endings = Events<Connection.Ending>()
    let listener: ControlListener

    init(mode: UInt32 = 0o600, limits: ControlListener.Limits = .init()) throws {
      folder = try TemporaryFolder()
      path = "\(folder.path)/control.sock"
      let (connections, messages, endings) = (connections, messages, endings)
      listener = try ControlListener(path: path, mode: mode, limits: limits) { connection in
        connection.onMessage = { messages.post(String(decoding: $0, as: UTF8.self)) }
        connection.onEnd = { endings.post($0) }
        connections.post(connection)
      }
    }
  }

  private struct Client {
    let fd: Int32

    init(_ path: String) throws { fd = try UnixSocket.connect(to: path) }

    /// Connects as another user, which the kernel remembers.
    init(_ path: String, as user: UInt32) throws {
      seteuid(user)
      defer { seteuid(0) }
      fd = try UnixSocket.connect(to: path)
    }

    func write(_ text: String) {
      let bytes = Array(text.utf8)
      #expect(send(fd, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count)
    }

    /// What is there by now: the test and the server share one thread.
    func read() -> String {
      var buffer = [UInt8](repeating: 0, count: 64 * 1024)
      let count = recv(fd, &buffer, buffer.count, Int32(MSG_DONTWAIT))
      return String(decoding: buffer.prefix(max(count, 0)), as: UTF8.self)
    }

    /// 0 when the server has closed the connection, nil when nothing has happened yet.
    func peek() -> Int? {
      var byte: UInt8 = 0
      let count = recv(fd, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
      return count < 0 && errno == EAGAIN ? nil : max(count, 0)
    }

    /// Waits until the server has closed the connection (0) or said something.
    func end() async -> Int? {
      while peek() == nil { await withCheckedContinuation { turn in Later.run { turn.resume() } } }
      return peek()
    }

    func close() { Glibc.close(fd) }
  }
}
