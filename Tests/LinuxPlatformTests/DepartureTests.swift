import CLinux
import Glibc
import Testing

@testable import LinuxPlatform

private nonisolated let hasBus = access("/usr/bin/dbus-daemon", X_OK) == 0

/// Sleep and shutdown: told of, and held up.
@Suite(.timeLimit(.minutes(1)))
struct DepartureTests {
  @Test(.enabled(if: hasBus), arguments: Logind.departures.indices)
  func `a departure is pending from its announcement until it is over`(index: Int) async throws {
    let logind = try await LogindOnBus()
    let (signal, property) = Logind.departures[index]
    let changes = Events<Bool>()
    let watch = try watch(logind, changes)
    // Its question comes after what it told the bus to deliver.
    _ = await logind.questions.next()
    for value in [true, false, true] {
      logind.announce(signal, property, value)
      #expect(await changes.next() == value)
      #expect(watch.isGoingDown == value)
    }
    watch.cancel()
    await logind.stop()
  }

  @Test(.enabled(if: hasBus))
  func `one that was announced before is known, and forgotten with the bus`() async throws {
    let logind = try await LogindOnBus()
    logind.pending = ["PreparingForShutdown"]
    let changes = Events<Bool>()
    let watch = try watch(logind, changes)
    #expect(!watch.isGoingDown, "not before the answer")
    #expect(await changes.next())
    await logind.stop()
    #expect(await !changes.next())
    watch.cancel()
  }

  @Test(.enabled(if: hasBus))
  func `a lock is held as long as it lives, and no longer`() async throws {
    let logind = try await LogindOnBus()
    var answer = await take(on: logind.address)
    guard case .held = answer else {
      Issue.record("\(answer)")
      return
    }
    #expect(logind.inhibitions.all == [["sleep:shutdown", "Test", "a test", "delay"]])
    var byte: UInt8 = 0
    #expect(read(logind.lock, &byte, 1) == -1 && errno == EAGAIN, "held")
    answer = .goingDown
    #expect(read(logind.lock, &byte, 1) == 0, "released")
    await logind.stop()
  }

  @Test(.enabled(if: hasBus))
  func `there is no lock once a departure has begun, and none without logind`() async throws {
    let logind = try await LogindOnBus()
    logind.pending = ["PreparingForSleep"]
    let late = await take(on: logind.address)
    guard case .goingDown = late else {
      Issue.record("\(late)")
      return
    }
    await logind.stop()
    let alone = await take(on: logind.address)
    guard case .unavailable = alone else {
      Issue.record("\(alone)")
      return
    }
  }

  @Test func `logind says how long it waits for a lock, and silence is no answer`() async throws {
    let logind = try await LogindOnBus()
    logind.longestDelay = 30_000_000
    let address = logind.address
    let ask = {
      await Task.detached { InhibitorLock.longestDelay(patience: .seconds(50), on: address) }.value
    }
    #expect(await ask() == .seconds(30))
    // logind.conf(5): infinity
    logind.longestDelay = .max
    #expect(await ask() == .microseconds(Int64.max))
    await logind.stop()
    #expect(await ask() == nil)
  }

  @Test func `a bus with nobody behind it holds nothing up for long`() async throws {
    let folder = try TemporaryFolder()
    let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    defer { close(listener) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: "\(folder.path)/bus".utf8) }
    let bound = withUnsafePointer(to: address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try #require(bound == 0 && listen(listener, 4) == 0)
    let answer = InhibitorLock.take(
      who: "Test", why: "a test", patience: .milliseconds(50), on: "unix:path=\(folder.path)/bus")
    guard case .unavailable = answer else {
      Issue.record("\(answer)")
      return
    }
  }

  /// From another thread: logind's stand-in answers on this one, when the other tests let it.
  private func take(on address: String) async -> InhibitorLock.Answer {
    await Task.detached {
      InhibitorLock.take(who: "Test", why: "a test", patience: .seconds(50), on: address)
    }.value
  }

  private func watch(_ logind: LogindOnBus, _ changes: Events<Bool>) throws -> DepartureWatch {
    let bus = BusConnection(address: logind.address, matching: Logind.departureRules)
    return try DepartureWatch(bus) { changes.post($0) }
  }
}
