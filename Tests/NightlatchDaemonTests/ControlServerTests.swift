import ControlProtocol
import Glibc
import JobEngine
import Testing

@testable import LinuxPlatform
@testable import NightlatchDaemon

@Suite(.timeLimit(.minutes(1))) struct ControlServerTests {
  @Test func `replies come in the order of their calls, even when the first one has to wait`() async throws {
    let stage = try Stage()
    try stage.job(.sync, "command = ['/bin/true']\n")
    let daemon = try stage.daemon()
    daemon.control = try ControlServer(daemon: daemon, socket: nil)
    defer {
      daemon.control?.close()
      daemon.control = nil
    }
    let replies = try await replies(
      to: [.runJob(.sync, wait: true), .getInfo, .pause(.sync), .listJobs(.sync)],
      at: stage.folders.controlSocket)
    #expect(replies.count == 4)
    #expect(replies[0].contains(#""state":"succeeded""#))
    #expect(replies[1].contains(#""interfaces""#))
    #expect(replies[2] == #"{"parameters":{}}"#)
    #expect(replies[3].contains(#""state":"paused""#))
  }

  @Test func `a client that asks on and on without waiting is cut off`() async throws {
    let stage = try Stage()
    try stage.job(.sync, "command = ['/bin/sleep', '1000']\n")
    let daemon = try stage.daemon()
    daemon.control = try ControlServer(daemon: daemon, socket: nil)
    defer {
      daemon.control?.close()
      daemon.control = nil
    }
    let calls = [ControlCall.runJob(.sync, wait: true)] + Array(repeating: .getInfo, count: 100)
    #expect(try await replies(to: calls, at: stage.folders.controlSocket).isEmpty)
    daemon.request(.cancel(try daemon.runs()))
    try await until { try daemon.run()?.state == .cancelled }
  }

  /// Sends all calls at once and reads until each has its reply, or the server has closed the connection.
  private func replies(to calls: [ControlCall], at path: String) async throws -> [String] {
    let fd = try UnixSocket.connect(to: path)
    defer { close(fd) }
    let bytes = Array(calls.map { $0.frame + [0] }.joined())
    #expect(send(fd, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count)
    var received: [UInt8] = []
    try await until {
      var chunk = [UInt8](repeating: 0, count: 64 * 1024)
      let count = recv(fd, &chunk, chunk.count, Int32(MSG_DONTWAIT))
      received += chunk.prefix(max(0, count))
      return count == 0 || received.count(where: { $0 == 0 }) == calls.count
    }
    return received.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
  }
}
