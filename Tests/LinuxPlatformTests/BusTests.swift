import Glibc
import Testing

@testable import LinuxPlatform

@Suite(.timeLimit(.minutes(1)))
struct BusTests {
  @Test(.enabled(if: access("/usr/bin/dbus-daemon", X_OK) == 0))
  func `a unit is started and its job's result comes back, for each its own`() async throws {
    let manager = try await ServiceManagerOnBus()
    let bus = Bus(address: manager.address)
    let answers = Events<String>()
    for unit in ["x-done.service", "x-failed.service", "refused.service", "x-timeout.service"] {
      bus.startUnit(unit) { answer in
        switch answer {
        case .success(let result): answers.post("\(unit): \(result)")
        case .failure(let error): answers.post("\(unit): \(error)")
        }
      }
    }
    var found = Set<String>()
    for _ in 0..<4 { found.insert(await answers.next()) }
    #expect(
      found == [
        "x-done.service: done", "x-failed.service: failed", "x-timeout.service: timeout",
        "refused.service: cannot start unit 'refused.service': Unit refused.service not found.",
      ])
    #expect(manager.calls.all.first == "Subscribe")
    #expect(manager.calls.all.contains("StartUnit x-done.service replace"))
    bus.close()
    await manager.stop()
  }

  @Test(.enabled(if: access("/usr/bin/dbus-daemon", X_OK) == 0))
  func `when the bus goes away whoever waits is told, and the next start connects again`() async throws {
    let manager = try await ServiceManagerOnBus()
    let bus = Bus(address: manager.address)
    let answers = Events<Bus.Answer>()
    bus.startUnit("never.service") { answers.post($0) }
    _ = await manager.calls.first { $0.hasPrefix("StartUnit") }
    await manager.stop()
    guard case .failure(.unitNotStarted("never.service", _)) = await answers.next() else {
      Issue.record("\(answers.all)")
      return
    }
    bus.startUnit("x-done.service") { answers.post($0) }
    guard case .failure(.noBus) = await answers.next() else {
      Issue.record("\(answers.all)")
      return
    }
  }
}
