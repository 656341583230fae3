import AuthModel
import JobEngine
import Scheduling
import Testing

/// What keeps a session alive without work, and what is said when its end comes near.
@Suite struct SessionLifeTests {
  /// A verified session and no job at all.
  func world(_ change: (inout ProviderDefinition) -> Void) -> World {
    var world = World()
    world.start([], providers: [.work(change)])
    world.publish(world.freshSession())
    return world
  }

  func refreshes(_ world: World) -> Int { world.phases.filter { $0.verb == .refresh }.count }

  func warnings(_ world: World) -> [Duration] {
    world.reports.compactMap { if case .sessionEnds(.work, let left) = $0 { left } else { nil } }
  }

  @Test func `without keep_alive nothing is refreshed that nobody needs`() {
    var world = world { _ in }
    world.advance(by: .seconds(40 * 86_400))
    #expect(refreshes(world) == 0)
  }

  @Test func `keep_alive refreshes an idle session exactly when it is that old, and again after that`() {
    var world = world { $0.keepAlive = .seconds(8 * 3600) }
    for count in 1...3 {
      world.advance(by: .seconds(8 * 3600) - .microseconds(1))
      #expect(refreshes(world) == count - 1)
      world.advance(by: .microseconds(1))
      #expect(refreshes(world) == count)
      world.publish(world.freshSession(), attempt: world.attempt(.success, failures: 0))
    }
  }

  @Test func `a keep-alive that fails is tried again with backoff`() {
    var world = world { $0.keepAlive = .seconds(3600) }
    world.advance(by: .seconds(3600))
    world.publish(world.unverifiedSession(aged: .seconds(3600)), attempt: world.attempt(.transient), exit: 75)
    #expect(refreshes(world) == 1)
    world.advance(by: .seconds(3))
    #expect(refreshes(world) == 2)
  }

  @Test func `a keep-alive that has no refresh token to spend is due again a whole period later`() {
    var world = World()
    world.start([], providers: [.work { $0.keepAlive = .seconds(3600) }])
    world.publish(world.freshSession(lifetime: nil))
    for count in 1...3 {
      world.advance(by: .seconds(3600) - .microseconds(1))
      #expect(refreshes(world) == count - 1)
      world.advance(by: .microseconds(1))
      #expect(refreshes(world) == count)
      world.endPhase(.exited(0))
    }
  }

  @Test func `a machine that was off for longer keeps alive what it finds`() {
    var world = world { $0.keepAlive = .seconds(3600) }
    let session = world.unverifiedSession()
    world.restart(boot: BootID("b2"), after: .seconds(7200))
    world.start([], providers: [.work { $0.keepAlive = .seconds(3600) }])
    world.publish(session)
    #expect(refreshes(world) == 1)
  }

  @Test func `keep_alive follows the provider's mode`() {
    var manual = world {
      $0.keepAlive = .seconds(3600)
      $0.foreground = .manual
    }
    manual.advance(by: .seconds(100_000))
    #expect(refreshes(manual) == 0)
    var laptop = world {
      $0.keepAlive = .seconds(3600)
      $0.foreground = .session
    }
    laptop.advance(by: .seconds(100_000))
    #expect(refreshes(laptop) == 0)
    var conditions = Conditions()
    conditions.isSessionActive = true
    laptop.post(.conditionsChanged(conditions))
    #expect(refreshes(laptop) == 1)
  }

  @Test(
    arguments: [
      // A quarter of its life, three days at most.
      (Duration.seconds(1800), Duration.seconds(450)),
      (.seconds(30 * 86_400), .seconds(3 * 86_400)),
    ])
  func `a refresh token's end is told once, in time`(_ lifetime: Duration, _ left: Duration) {
    var world = World()
    world.start([], providers: [.work()])
    world.publish(world.freshSession(refreshLifetime: lifetime))
    world.advance(by: lifetime - left - .microseconds(1))
    #expect(warnings(world).isEmpty)
    world.advance(by: .microseconds(1))
    #expect(warnings(world) == [left])
    world.advance(by: lifetime)
    #expect(warnings(world) == [left])
    // A new one has an end of its own.
    world.publish(world.freshSession(refreshLifetime: lifetime))
    world.advance(by: lifetime)
    #expect(warnings(world) == [left, left])
  }

  @Test func `a program that waits for a token waits for the backoff, a person does not`() throws {
    var world = world { $0.foreground = .manual }
    world.request(.refresh(.work), 1)
    #expect(refreshes(world) == 1)
    world.request(.refresh(.work), 2)
    world.publish(
      world.unverifiedSession(), attempt: world.attempt(.transient, retryAfter: .seconds(100)), exit: 75)
    world.request(.refresh(.work), 3)
    #expect(refreshes(world) == 1, "neither the one that came during the phase, nor the one after it")
    world.advance(by: .seconds(100))
    #expect(refreshes(world) == 2)
    world.publish(
      world.unverifiedSession(), attempt: world.attempt(.transient, retryAfter: .seconds(100)), exit: 75)
    world.request(.foreground(.work), 4)
    #expect(refreshes(world) == 3)
  }

  @Test func `a session that the agent will not spend again is parked until a login`() throws {
    var world = world { $0.keepAlive = .seconds(3600) }
    world.advance(by: .seconds(3600))
    world.publish(world.unverifiedSession(aged: .seconds(3600)), attempt: world.attempt(.ambiguous), exit: 77)
    #expect(world.reports.contains(.providerParked(.work, detail: "because", needsLogin: true)))
    #expect(world.engine.needsPerson(.work))
    world.advance(by: .seconds(86_400))
    #expect(refreshes(world) == 1)
    world.publish(world.freshSession())
    #expect(!world.engine.needsPerson(.work))
  }

  @Test func `a spent refresh token is a success that is warned of, once`() {
    var world = world { $0.keepAlive = .seconds(3600) }
    world.advance(by: .seconds(3600))
    world.publish(world.freshSession(), attempt: world.attempt(.spentToken, failures: 0))
    let told = world.reports.filter {
      switch $0 {
      case .phaseSucceeded(.work, .refresh), .spentTokenReturned(.work, detail: "because"): true
      case .phaseFailed: true
      default: false
      }
    }
    #expect(told == [.phaseSucceeded(.work, .refresh), .spentTokenReturned(.work, detail: "because")])
    world.advance(by: .seconds(1800))
    #expect(refreshes(world) == 1)
  }
}
