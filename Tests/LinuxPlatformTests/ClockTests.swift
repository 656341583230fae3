import Glibc
import Scheduling
import Testing

@testable import LinuxPlatform

@Suite(.timeLimit(.minutes(1)))
struct ClockTests {
  @Test func `both clocks move forward and the boot clock is no further than the uptime`() throws {
    let first = SystemClock.now()
    let second = SystemClock.now()
    #expect(second.boot >= first.boot)
    let uptime = try #require(
      try SourceFiles.text(of: "/proc/uptime", limit: 128).split(separator: " ").first)
    let seconds = try #require(Int64(uptime.prefix { $0 != "." }))
    #expect(seconds >= first.boot.microseconds / 1_000_000)
    #expect(first.wall > WallTime(seconds: 1_700_000_000))
  }

  @Test func `a boot id is 32 digits and stays the same`() throws {
    let id = try SystemClock.bootID()
    #expect(id.description.count == 32)
    #expect(try SystemClock.bootID() == id)
  }

  @Test func `the machine always has an id`() {
    #expect(!SystemClock.machineID().isEmpty)
    #expect(!SystemClock.hostName().isEmpty)
  }

  @Test func `the boot timer is on CLOCK_BOOTTIME and the wall timer on CLOCK_REALTIME`() throws {
    let timer = try WakeTimer {}
    #expect(try fdinfo(timer.descriptors.boot).contains("clockid: 7"))
    #expect(try fdinfo(timer.descriptors.wall).contains("clockid: 0"))
    timer.cancel()
  }

  @Test func `a boot wake-up fires once its time has come`() async throws {
    let wakes = Events<Instant>()
    let timer = try WakeTimer { wakes.post(SystemClock.now().boot) }
    let due = SystemClock.now().boot + .milliseconds(5)
    timer.arm(boot: due, wall: nil)
    #expect(await wakes.next() >= due)
    timer.cancel()
  }

  @Test func `a wall wake-up fires once its time has come, and can be armed for the same time again`()
    async throws
  {
    let wakes = Events<WallTime>()
    let timer = try WakeTimer { wakes.post(SystemClock.now().wall) }
    let due = SystemClock.now().wall + .milliseconds(5)
    timer.arm(boot: nil, wall: due)
    #expect(await wakes.next() >= due)
    timer.arm(boot: nil, wall: due)
    #expect(await wakes.next() >= due)
    timer.cancel()
  }

  @Test(arguments: [Int64.min, -1, 0, 1])
  func `a time in the past fires at once`(microseconds: Int64) async throws {
    let wakes = Events<Void>()
    let timer = try WakeTimer { wakes.post(()) }
    timer.arm(boot: Instant(microseconds: microseconds), wall: nil)
    await wakes.next()
    timer.arm(boot: nil, wall: WallTime(microseconds: microseconds))
    await wakes.next()
    timer.cancel()
  }

  @Test func `the end of time neither overflows nor fires, and a nearer time replaces it`() async throws {
    let wakes = Events<Void>()
    let timer = try WakeTimer { wakes.post(()) }
    timer.arm(boot: Instant(microseconds: .max), wall: WallTime(microseconds: .max))
    #expect(try remaining(timer.descriptors.boot) > 1_000_000)
    #expect(try remaining(timer.descriptors.wall) > 1_000_000)
    timer.arm(boot: SystemClock.now().boot, wall: WallTime(microseconds: .max))
    await wakes.next()
    #expect(wakes.all.count == 1)
    timer.cancel()
  }

  @Test func `nil disarms`() throws {
    let timer = try WakeTimer {}
    let later = SystemClock.now()
    timer.arm(boot: later.boot + .seconds(3600), wall: later.wall + .seconds(3600))
    #expect(try remaining(timer.descriptors.boot) > 0)
    timer.arm(boot: nil, wall: nil)
    #expect(try remaining(timer.descriptors.boot) == 0)
    #expect(try remaining(timer.descriptors.wall) == 0)
    timer.cancel()
  }

  @Test func `the clock watch is told of steps`() throws {
    let watch = try ClockWatch {}
    let info = try fdinfo(watch.fd)
    #expect(info.contains("clockid: 0"))
    // TFD_TIMER_ABSTIME and TFD_TIMER_CANCEL_ON_SET.
    #expect(info.contains("settime flags: 03"))
    watch.cancel()
  }

  /// Only root may set the clock: to the time it shows, which is a step like any other.
  @Test(.enabled(if: geteuid() == 0))
  func `setting the wall clock is a step`() async throws {
    let steps = Events<Void>()
    let watch = try ClockWatch { steps.post(()) }
    for _ in 0..<2 {
      var now = timespec()
      clock_gettime(CLOCK_REALTIME, &now)
      // Containers may have taken the right to do so from root.
      guard clock_settime(CLOCK_REALTIME, &now) == 0 else { return }
      await steps.next()
    }
    watch.cancel()
  }

  @Test func `a signal becomes an event`() async {
    let signals = Events<Int32>()
    let listening = Events<Void>()
    let watch = SignalWatch([SIGUSR1], onSignal: { signals.post($0) }, onListening: { listening.post(()) })
    await listening.next()
    kill(getpid(), SIGUSR1)
    #expect(await signals.next() == SIGUSR1)
    watch.cancel()
  }

  private func fdinfo(_ fd: Int32) throws -> String {
    try SourceFiles.text(of: "/proc/self/fdinfo/\(fd)", limit: 4096)
  }

  /// Seconds until the timer fires, rounded up; 0 when it is disarmed.
  private func remaining(_ fd: Int32) throws -> Int64 {
    let line = try #require(try fdinfo(fd).split(separator: "\n").first { $0.hasPrefix("it_value") })
    let numbers = line.split { !$0.isNumber }.compactMap { Int64($0) }
    return try #require(numbers.first) + ((numbers.last ?? 0) > 0 ? 1 : 0)
  }
}
