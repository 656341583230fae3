import AuthModel
import ControlProtocol
import Glibc
import JobEngine
import Scheduling
import Testing

@testable import LinuxPlatform
@testable import NightlatchDaemon

/// Who gets a token, and what those do who have to wait for one.
@Suite(.timeLimit(.minutes(1))) struct TokenBrokerTests {
  let stage: Stage
  let daemon: Daemon

  init() throws {
    stage = try Stage()
    try stage.provider()
    daemon = try stage.daemon()
    daemon.control = try ControlServer(daemon: daemon, socket: nil)
  }

  /// The daemon has the store published by the agent; what a test publishes must come after that.
  private func settle() async throws {
    try await until { if case .running = daemon.engine.view(of: .work)?.phase { false } else { true } }
  }

  private func leave() {
    daemon.control?.close()
    daemon.control = nil
  }

  /// What the foreground agent would publish about a session of this moment.
  private func publish(_ token: String, lifetime: Duration = .seconds(3600), verified: Bool = true) throws {
    let bootID = try SystemClock.bootID()
    let obtained = Moment(bootID: bootID, now: SystemClock.now())
    try stage.write("runtime/tokens/work", token)
    let (seconds, rest) = (obtained.wall.microseconds / 1_000_000, obtained.wall.microseconds % 1_000_000)
    var times = [timespec](repeating: timespec(tv_sec: Int(seconds), tv_nsec: Int(rest) * 1_000), count: 2)
    utimensat(AT_FDCWD, "\(stage.path)/runtime/tokens/work", &times, 0)
    try publish(
      .present(
        Snapshot.Present(
          user: AuthModel.User(id: "alice"), tokenGeneration: 1, obtained: obtained, lifetime: lifetime,
          verifiedIn: verified ? bootID : nil)))
  }

  private func publish(_ session: Snapshot.Session) throws {
    let moment = Moment(bootID: try SystemClock.bootID(), now: SystemClock.now())
    try stage.publish(Snapshot(generation: 0, published: moment, session: session))
    daemon.auth.reopen()
    daemon.turn()
  }

  /// Asks, lets `meanwhile` happen once the daemon has the call, and returns the answer.
  private func ask(
    minValid: Duration? = nil, wait: Duration? = nil, meanwhile: () throws -> Void = {}
  ) async throws -> String {
    let fd = try UnixSocket.connect(to: stage.folders.controlSocket)
    defer { close(fd) }
    let calls: [ControlCall] = [.getInfo, .getToken(.work, minValid: minValid, wait: wait)]
    let bytes = Array(calls.map { $0.frame + [0] }.joined())
    #expect(send(fd, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count)
    var received: [UInt8] = []
    func read(until replies: Int) async throws {
      try await until {
        var chunk = [UInt8](repeating: 0, count: 64 * 1024)
        let count = recv(fd, &chunk, chunk.count, Int32(MSG_DONTWAIT))
        received += chunk.prefix(max(0, count))
        return received.count { $0 == 0 } >= replies
      }
    }
    // The answer to the first call says that the second has been read as well.
    try await read(until: 1)
    try meanwhile()
    try await read(until: 2)
    return String(decoding: received.split(separator: 0)[1], as: UTF8.self)
  }

  @Test func `a valid token comes at once`() async throws {
    defer { leave() }
    try await settle()
    try publish("secret-1")
    let reply = try await ask(minValid: .seconds(60))
    #expect(reply.contains(#""token":"secret-1""#))
    #expect(reply.contains("expires"))
    #expect(!stage.log.contains("secret-1"))
  }

  @Test func `without the will to wait there is a reason at once`() async throws {
    defer { leave() }
    try await settle()
    try publish("secret-1", verified: false)
    let reply = try await ask()
    #expect(reply.contains("TokenUnavailable"))
    #expect(reply.contains("the session is not verified"))
  }

  @Test func `whoever waits gets the token that a phase brings`() async throws {
    defer { leave() }
    try await settle()
    try publish("secret-1", verified: false)
    let reply = try await ask(wait: .seconds(60)) { try publish("secret-2") }
    #expect(reply.contains(#""token":"secret-2""#))
  }

  @Test func `the wait ends early when only a login helps`() async throws {
    defer { leave() }
    try await settle()
    try publish("secret-1", verified: false)
    let reply = try await ask(wait: .seconds(3600)) { try publish(.absent(.rejected)) }
    #expect(reply.contains("TokenUnavailable"))
    #expect(reply.contains("nightlatch login work"))
    // A second one does not wait at all.
    #expect(try await ask(wait: .seconds(3600)).contains("nightlatch login work"))
  }

  @Test func `the wait is bounded, and says what was missing`() async throws {
    defer { leave() }
    try await settle()
    try publish("secret-1", verified: false)
    let reply = try await ask(wait: .milliseconds(1))
    #expect(reply.contains("no phase has changed that within 1ms"))
  }

  @Test func `tokens that never live so long are not waited for`() async throws {
    defer { leave() }
    try await settle()
    try publish("secret-1", lifetime: .seconds(300))
    let reply = try await ask(minValid: .seconds(3600), wait: .seconds(3600))
    #expect(reply.contains("its tokens are valid for 5min, never for the 1h asked for"))
  }

  @Test func `a run is told to exit with 75 and causes no phase`() async throws {
    defer { leave() }
    try await settle()
    try publish("secret-1", verified: false)
    let tool = "\(stage.path)/ask"
    // The peer is the run's own process: the kernel says so.
    try stage.write(
      "ask",
      """
      #!/usr/bin/env python3
      import socket
      with socket.socket(socket.AF_UNIX) as s:
          s.connect("\(stage.folders.controlSocket)")
          for method, more in (("GetToken", '"wait_usec":60000000,'), ("Foreground", '"wait":true,')):
              s.sendall(('{"method":"org.nightlatch.Control.%s","parameters":{%s"provider":"work"}}' % (method, more)).encode() + b"\\0")
              answer = b""
              while not answer.endswith(b"\\0"):
                  answer += s.recv(65536)
              open("\(stage.path)/answers", "ab").write(answer[:-1] + b"\\n")
      """, mode: 0o700)
    try stage.job(.sync, "command = ['\(tool)']\n[auth]\nprovider = 'work'\nrequires = 'session'\n")
    _ = daemon.reload()
    daemon.request(.run(.sync))
    try await until { try daemon.run()?.state == .succeeded }
    let answers = stage.text("answers").split(separator: "\n")
    #expect(answers.count == 2)
    #expect(answers.first?.contains("background work never refreshes: exit with 75") == true)
    #expect(answers.last?.contains("NotNow") == true)
    #expect(!stage.log.contains("refresh started"))
  }
}
