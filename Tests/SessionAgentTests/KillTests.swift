import AuthModel
import Glibc
import Scheduling
import Testing

@testable import SessionAgent

/// The agent is killed at the worst moments; the next one has to find its way.
@Suite struct KillTests {
  @Test(arguments: Failpoint.allCases)
  func `inside the reuse window a killed agent costs nothing`(failpoint: Failpoint) throws {
    let world = try FlowWorld(["--reuse-window", "30"], reuseWindow: .seconds(30))
    try world.begin()
    let killed = try world.run(["refresh", "work"], failpoint: failpoint)
    #expect(killed.ending == .killed(SIGKILL), "\(killed.output)")
    let next = try world.run(["refresh", "work"])
    #expect(next.ending == .exited(0), "\(next.output)")
    #expect(try world.state()?.name == "authenticated")
    #expect(try world.tokenFile()?.token == world.record().accessToken.text)
    #expect(try world.run(["refresh", "work"]).ending == .exited(0))
  }

  @Test(arguments: Failpoint.allCases)
  func `without a window only the answer that never reached the disk is lost`(failpoint: Failpoint) throws {
    let world = try FlowWorld()
    try world.begin()
    #expect(try world.run(["refresh", "work"], failpoint: failpoint).ending == .killed(SIGKILL))
    #expect(try world.run(["publish"]).ending == .exited(0))
    let isAmbiguous = failpoint == .afterSpendRecord || failpoint == .afterAnswer
    #expect(world.snapshot?.spend == (isAmbiguous ? .ambiguous : .settled))
    #expect(try world.state()?.name == (isAmbiguous ? "authenticatedUnverified" : "authenticated"))

    try world.age(by: .seconds(400))
    let next = try world.run(["refresh", "work"])
    guard failpoint == .afterAnswer else {
      #expect(next.ending == .exited(0), "\(next.output)")
      #expect(try world.state()?.name == "authenticated")
      return
    }
    #expect(next.ending == .exited(77))
    #expect(next.output.contains("lostRotation"))
    #expect(try world.state() == .unauthenticated(.lostRotation))
    #expect(world.snapshot?.lastAttempt?.outcome == .lostRotation)
  }

  @Test func `a killed agent's snapshot shows the open spend`() throws {
    let world = try FlowWorld()
    try world.begin()
    _ = try world.run(["refresh", "work"], failpoint: .afterAnswer)
    #expect(world.snapshot?.spend == .open)
    #expect(try world.state()?.name == "authenticatedUnverified")
  }

  @Test func `SIGTERM waits until the answer is on disk`() throws {
    let world = try FlowWorld()
    try world.begin()
    world.server.stop()
    let agent = try world.start(["refresh", "work"])
    // The server is stopped, so the spend stays open until it goes on.
    try waitUntil { world.snapshot?.spend == .open }
    kill(agent.pid, SIGTERM)
    kill(agent.pid, SIGINT)
    #expect(try coreLimit(of: agent.pid) == "0")
    world.server.go()
    let output = agent.readAll()
    #expect(agent.wait() == .exited(0), "\(output)")
    #expect(try world.record().generation == 2)
    #expect(try world.state()?.name == "authenticated")
  }

  @Test func `a stop request ends the re-sending, not the record of the spend`() throws {
    let world = try FlowWorld(["--reuse-window", "30"], reuseWindow: .seconds(30))
    try world.begin()
    try world.plan(#"{"mode":"hang_after"}"#)
    let agent = try world.start(["refresh", "work"])
    try waitUntil { (try? world.spends()) == 1 }
    kill(agent.pid, SIGTERM)
    try world.proxy.post("/_release")
    _ = agent.readAll()
    #expect(agent.wait() == .exited(75))
    #expect(world.snapshot?.spend == .ambiguous)
    #expect(try world.run(["refresh", "work"]).ending == .exited(0))
  }

  @Test func `a rejection of a token that is not the store's any more adopts the store's`() throws {
    let world = try FlowWorld()
    try world.begin()
    try world.server.post("/test/revoke")
    world.server.stop()
    let agent = try world.start(["refresh", "work"])
    try waitUntil { world.snapshot?.spend == .open }
    // Another program that ignores the lock.
    var other = try world.record()
    (other.generation, other.refreshToken) = (5, Secret("another"))
    try world.put(other)
    world.server.go()
    let output = agent.readAll()
    #expect(agent.wait() == .exited(0), "\(output)")
    #expect(try world.record().generation == 5)
    #expect(try world.state()?.name == "authenticated")
  }

  @Test func `twenty agents at once spend once`() throws {
    let world = try FlowWorld()
    try world.begin()
    let agents = try (0..<20).map { _ in try world.start(["refresh", "work", "--newer-than", "1"]) }
    for agent in agents {
      let output = agent.readAll()
      #expect(agent.wait() == .exited(0), "\(output)")
    }
    #expect(try world.spends() == 1)
    #expect(try world.record().generation == 2)
  }

  private func coreLimit(of pid: pid_t) throws -> String? {
    let limits = String(decoding: try File.read("/proc/\(pid)/limits", limit: 1 << 16) ?? [], as: UTF8.self)
    let line = limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") }
    return line?.split(separator: " ").dropFirst(4).first.map(String.init)
  }
}

extension TestServer {
  /// Freezes the server: it accepts connections and answers nobody.
  func stop() { kill(pid, SIGSTOP) }

  func go() { kill(pid, SIGCONT) }
}
