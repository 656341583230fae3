import AuthModel
import JobEngine
import Scheduling
import Testing

/// Foreground phases: when they start, what their end means.
@Suite struct PhaseTests {
  func deferredWorld(_ provider: ProviderDefinition = .work()) throws -> World {
    var world = World()
    world.start([.verified()], providers: [provider])
    world.publish(world.unverifiedSession())
    _ = try world.run(.job)
    return world
  }

  func refreshes(_ world: World) -> Int { world.phases.filter { $0.verb == .refresh }.count }

  @Test func `a provider without a snapshot is published first`() {
    var world = World()
    world.start([], providers: [.work()])
    #expect(world.phases.map(\.verb) == [.publish])
  }

  @Test func `a store that stays unreadable is tried with backoff, not in a loop`() {
    var world = World()
    world.start([], providers: [.work()])
    world.publish(.unreadable)
    #expect(world.phases.count == 1)
    world.advance(by: .seconds(3))
    #expect(world.phases.count == 2)
  }

  @Test func `no phase starts while nothing needs one`() {
    var world = World()
    world.start([.verified()], providers: [.work()])
    world.publish(world.unverifiedSession())
    #expect(refreshes(world) == 0)
  }

  @Test func `a transient failure backs off between one second and 15 minutes`() throws {
    var world = try deferredWorld()
    var waits: [Duration] = []
    for failure in 1...20 {
      let before = refreshes(world)
      world.publish(
        world.unverifiedSession(), attempt: world.attempt(.transient, failures: UInt32(failure)), exit: 75)
      let from = world.now.boot
      let wake = world.nextWake()
      let next = try #require(wake)
      world.advance(by: next - from)
      #expect(refreshes(world) == before + 1)
      waits.append(next - from)
    }
    #expect(waits.allSatisfy { $0 >= .seconds(1) && $0 <= .seconds(900) })
    #expect(waits.suffix(8).contains { $0 > .seconds(60) })
  }

  @Test func `Retry-After is a floor`() throws {
    var world = try deferredWorld()
    world.publish(
      world.unverifiedSession(), attempt: world.attempt(.transient, retryAfter: .seconds(2000)), exit: 75)
    world.advance(by: .seconds(1999))
    #expect(refreshes(world) == 1)
    world.advance(by: .seconds(1))
    #expect(refreshes(world) == 2)
  }

  @Test func `a configuration error parks the provider until a reload`() throws {
    var world = try deferredWorld()
    world.publish(world.unverifiedSession(), attempt: world.attempt(.configuration), exit: 78)
    world.advance(by: .seconds(7200))
    #expect(refreshes(world) == 1)
    #expect(world.reports.contains(.providerParked(.work, detail: "because", needsLogin: false)))
    world.post(.reloaded(Definitions([.verified()], [.work()])))
    #expect(refreshes(world) == 2)
  }

  @Test func `no phase starts while the provider's file can't be used, whoever asks`() throws {
    var world = try deferredWorld()
    world.publish(world.unverifiedSession(), attempt: world.attempt(.ambiguous), exit: 75)
    var bad = ProviderDefinition.work()
    bad.fileProblem = "work.toml has mistakes"
    world.post(.reloaded(Definitions([.verified()], [bad])))
    world.post(.requested(RequestID(rawValue: 1), .foreground(.work)))
    world.advance(by: .seconds(7200))
    #expect(refreshes(world) == 1)
    #expect(world.engine.view(of: .work)?.phase == .parked("work.toml has mistakes"))
    #expect(world.engine.needsPerson(.work))
    world.post(.reloaded(Definitions([.verified()], [.work()])))
    #expect(refreshes(world) == 2)
  }

  @Test func `a refusal that nobody understands is tried three times, spaced, then parked`() throws {
    var world = try deferredWorld()
    for failure in 1...3 {
      world.publish(
        world.unverifiedSession(), attempt: world.attempt(.rejectedUnknown, failures: UInt32(failure)),
        exit: 75)
      world.advance(by: .seconds(299))
      #expect(refreshes(world) == failure)
      world.advance(by: .seconds(700))
    }
    #expect(refreshes(world) == 3)
  }

  @Test func `a lost rotation is reported as what it is`() throws {
    var world = try deferredWorld()
    world.publish(.absent(.lostRotation), attempt: world.attempt(.lostRotation), exit: 77)
    #expect(world.reports.contains(.phaseFailed(.work, .lostRotation, detail: "because", retryAfter: nil)))
    #expect(world.reports.contains(.loginRequired(.work, .lostRotation, blocked: 1)))
  }

  @Test func `an agent that is killed is a failure like any other`() throws {
    var world = try deferredWorld()
    world.endPhase(.failed("it was killed"))
    #expect(refreshes(world) == 1)
    world.advance(by: .seconds(3))
    #expect(refreshes(world) == 2)
  }

  @Test func `the answer of an older phase is dropped`() throws {
    var world = try deferredWorld()
    world.post(.phaseEnded(.work, phase: 0, .failed("old")))
    #expect(!world.reports.contains { if case .phaseFailed = $0 { true } else { false } })
  }

  @Test func `without a default route a phase waits, unless the issuer is on this machine`() throws {
    var world = try deferredWorld(
      ProviderDefinition(name: .work, kind: .oidc(issuer: "https://id.example.com"), clientID: "c"))
    #expect(refreshes(world) == 0)
    var online = Conditions()
    online.hasDefaultRoute = true
    world.post(.conditionsChanged(online))
    #expect(refreshes(world) == 1)
  }

  @Test func `a restored network resets the backoff`() throws {
    var world = try deferredWorld()
    world.publish(
      world.unverifiedSession(), attempt: world.attempt(.transient, retryAfter: .seconds(900)), exit: 75)
    var online = Conditions()
    online.hasDefaultRoute = true
    world.post(.conditionsChanged(online))
    #expect(refreshes(world) == 2)
  }

  @Test func `no phase starts while the machine is going down, and waking up resets the backoff`() throws {
    var world = try deferredWorld()
    world.publish(
      world.unverifiedSession(), attempt: world.attempt(.transient, retryAfter: .seconds(900)), exit: 75)
    var leaving = Conditions()
    leaving.isGoingDown = true
    world.post(.conditionsChanged(leaving))
    world.advance(by: .seconds(7200))
    world.request(.foreground(.work), 7)
    #expect(refreshes(world) == 1)
    world.post(.conditionsChanged(Conditions()))
    #expect(refreshes(world) == 2)
  }

  @Test func `a clock that makes every token look dead costs three refreshes in ten minutes at most`() throws
  {
    var world = try deferredWorld()
    let end = world.now.boot + .seconds(600)
    while world.now.boot < end {
      // The server's answer is stored each time, and not believed.
      world.publish(world.unverifiedSession(), attempt: world.attempt(.clockSuspect), exit: 75)
      world.advance(by: .seconds(10))
    }
    #expect(refreshes(world) <= 3)
    #expect(
      world.reports.contains {
        if case .phaseFailed(.work, .clockSuspect, _, _) = $0 { true } else { false }
      })
  }

  @Test(arguments: [30, 60, 70])
  func `tokens that hardly live long enough run jobs, and cost a refresh now and then`(
    lifetime: Int64
  ) throws {
    var world = World()
    world.start([.verified { $0.schedule.intervals = [.seconds(1)] }], providers: [.work()])
    world.publish(world.freshSession(lifetime: .seconds(lifetime)))
    var known = refreshes(world)
    for _ in 1...120 {
      world.advance(by: .seconds(1))
      for id in Array(world.processes.keys) { world.exit(id) }
      guard refreshes(world) > known else { continue }
      known = refreshes(world)
      world.publish(world.freshSession(lifetime: .seconds(lifetime)), attempt: world.attempt(.success))
    }
    #expect((4...9).contains(known), "every 15 s at most")
    #expect(world.states(.job).count { $0 == .succeeded } >= known)
  }

  @Test func `manual waits for a person`() throws {
    var world = try deferredWorld(.work { $0.foreground = .manual })
    #expect(refreshes(world) == 0)
    #expect(world.request(.foreground(.work), 7) == nil, "answered when the phase is over")
    #expect(refreshes(world) == 1)
    world.publish(world.freshSession(), attempt: world.attempt(.success))
    #expect(world.replies[RequestID(rawValue: 7)] == .providers([.work]))
  }

  @Test func `a wish for every provider is answered when the last phase is over`() {
    let names = [ProviderName("a"), ProviderName("b")]
    var world = World()
    world.start(
      [],
      providers: names.map {
        ProviderDefinition(name: $0, kind: .oidc(issuer: "http://[::1]"), clientID: "c")
      })
    #expect(world.request(.foreground(nil), 7) == nil)
    for (index, phase) in world.phases.enumerated() {
      #expect(world.replies[RequestID(rawValue: 7)] == nil, "\(index) of the phases are over")
      world.post(.phaseEnded(phase.provider, phase: phase.serial, .failed("killed")))
    }
    #expect(world.replies[RequestID(rawValue: 7)] == .providers(names))
  }

  @Test func `session waits for an active session`() throws {
    var world = try deferredWorld(.work { $0.foreground = .session })
    #expect(refreshes(world) == 0)
    var conditions = Conditions()
    conditions.isSessionActive = true
    world.post(.conditionsChanged(conditions))
    #expect(refreshes(world) == 1)
  }

  @Test func `one phase at a time`() throws {
    var world = try deferredWorld()
    world.request(.foreground(.work), 7)
    world.request(.foreground(nil), 8)
    #expect(refreshes(world) == 1)
  }

  @Test func `a token near its end is renewed for work that is due soon, and not otherwise`() throws {
    for (interval, expected) in [(Int64(100), 1), (7200, 0)] {
      var world = World()
      world.start([.verified { $0.schedule.intervals = [.seconds(interval)] }], providers: [.work()])
      world.publish(world.freshSession(lifetime: .seconds(600)))
      world.advance(by: .zero)
      for id in Array(world.processes.keys) { world.exit(id) }
      world.advance(by: .seconds(541))
      #expect(refreshes(world) == expected)
    }
  }

  @Test func `the state is told once, and again when it changes with the time`() {
    var world = World()
    world.start([.verified()], providers: [.work()])
    world.publish(world.freshSession(lifetime: .seconds(600)))
    world.advance(by: .seconds(601))
    let told = world.reports.compactMap {
      if case .authStateChanged(_, let state) = $0 { state.name } else { nil }
    }
    #expect(told == ["authenticated", "authenticatedUnverified"])
  }

  @Test func `a login frees a parked provider that had a session`() throws {
    var world = try deferredWorld()
    world.publish(world.unverifiedSession(), attempt: world.attempt(.configuration), exit: 78)
    world.publish(world.freshSession(lifetime: .seconds(600)))
    for id in Array(world.processes.keys) { world.exit(id) }
    let before = refreshes(world)
    world.advance(by: .seconds(601))
    _ = try world.run(.job)
    #expect(refreshes(world) == before + 1)
  }

  @Test func `a wish during a refresh is met by it`() throws {
    var world = try deferredWorld()
    world.request(.foreground(.work), 7)
    world.publish(world.freshSession(), attempt: world.attempt(.success))
    world.advance(by: .seconds(60))
    #expect(refreshes(world) == 1)
  }

  @Test func `a wish without a session is forgotten, and the login's token is not spent for it`() throws {
    var world = World()
    world.start([.verified()], providers: [.work { $0.foreground = .manual }])
    world.publish(.absent(.loggedOut))
    world.request(.foreground(.work), 7)
    world.publish(world.freshSession())
    #expect(refreshes(world) == 0)
  }

  @Test func `a definite answer that left the session there is tried again with backoff, not in a loop`()
    throws
  {
    var world = try deferredWorld()
    world.publish(world.unverifiedSession(), attempt: world.attempt(.definite), exit: 77)
    #expect(refreshes(world) == 1)
    world.advance(by: .seconds(3))
    #expect(refreshes(world) == 2)
  }
}
