import CLinux
import Glibc
import Scheduling
import Testing

@testable import LinuxPlatform

@Suite(.timeLimit(.minutes(1)))
struct ServiceManagerTests {
  @Test(arguments: [false, true])
  func `each message arrives as sd_notify has it`(isAbstract: Bool) throws {
    let folder = try TemporaryFolder()
    let address = isAbstract ? "@nightlatch-test-\(getpid())" : "\(folder.path)/notify"
    let receiver = try Receiver(address)
    let manager = ServiceManager(address: address)
    manager.ready(status: "3 jobs\nloaded")
    #expect(receiver.next() == "READY=1\nSTATUS=3 jobs loaded")
    manager.status("idle")
    manager.status("idle")
    manager.watchdog()
    #expect(receiver.next() == "STATUS=idle")
    #expect(receiver.next() == "WATCHDOG=1")
    let before = SystemClock.monotonicMicroseconds()
    manager.reloading()
    let parts = receiver.next().split(separator: "\n")
    #expect(parts.first == "RELOADING=1")
    let stamp = try #require(parts.last?.split(separator: "=").last.flatMap { Int64($0) })
    #expect(stamp >= before)
    manager.extendTimeout(.milliseconds(1500))
    #expect(receiver.next() == "EXTEND_TIMEOUT_USEC=1500000")
    manager.stopping(status: "2 runs left")
    #expect(receiver.next() == "STOPPING=1\nSTATUS=2 runs left")
  }

  @Test func `without a manager nothing is sent and nothing fails`() {
    ServiceManager(address: nil).ready(status: "x")
    ServiceManager(address: "/no/such/socket").ready(status: "x")
    ServiceManager(address: String(repeating: "x", count: 500)).ready(status: "x")
  }

  @Test func `its variables are read and removed`() async {
    await #expect(processExitsWith: .success) { @MainActor in
      setenv("NOTIFY_SOCKET", "/no/such/socket", 1)
      setenv("WATCHDOG_USEC", "10000000", 1)
      setenv("WATCHDOG_PID", "\(getpid())", 1)
      let pipes = try OutputPipes()
      dup2(pipes.output.reading, 3)
      setenv("LISTEN_FDS", "1", 1)
      setenv("LISTEN_PID", "\(getpid())", 1)
      setenv("LISTEN_FDNAMES", "control", 1)
      let manager = ServiceManager()
      #expect(manager.isPresent)
      #expect(manager.watchdogInterval == .seconds(5))
      #expect(manager.listenSockets == [3])
      for name in [
        "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LISTEN_FDS", "LISTEN_PID", "LISTEN_FDNAMES",
      ] {
        #expect(getenv(name) == nil, "\(name)")
      }
    }
  }

  /// The manager's end of the socket.
  private struct Receiver: ~Copyable {
    let fd: Int32

    init(_ address: String) throws {
      fd = nl_unix_datagram()
      let target = try #require(UnixAddress(address))
      #expect(target.with { bind(fd, $0, $1) } == 0)
    }

    /// Sending and receiving are both done by the kernel at once.
    func next() -> String {
      var buffer = [UInt8](repeating: 0, count: 4096)
      let count = recv(fd, &buffer, buffer.count, Int32(MSG_DONTWAIT))
      return String(decoding: buffer.prefix(max(count, 0)), as: UTF8.self)
    }

    deinit { close(fd) }
  }
}
