import AuthModel
import JobEngine
import Scheduling
import Testing

/// Another program puts a new token where the agent finds it.
@Suite struct RotationTests {
  private func refreshes(_ world: World) -> Int { world.phases.filter { $0.verb == .refresh }.count }

  private func world(_ session: (inout World) -> Snapshot.Session) -> World {
    var world = World()
    world.start([.verified()], providers: [.work { $0.foreground = .manual }])
    world.publish(session(&world))
    world.advance(by: .seconds(60))
    return world
  }

  @Test func `a rotation is fetched at once, whoever starts phases otherwise`() {
    var world = world { $0.freshSession() }
    world.post(.tokenRotated(.work))
    #expect(refreshes(world) == 1)
    world.publish(world.freshSession(), attempt: world.attempt(.success))
    #expect(world.engine.view(of: .work)?.state.name == "authenticated")
    world.advance(by: .seconds(3000))
    #expect(refreshes(world) == 1)
  }

  @Test func `a rotation ends the backoff`() {
    var world = world { $0.unverifiedSession() }
    world.post(.tokenRotated(.work))
    world.publish(world.unverifiedSession(), attempt: world.attempt(.transient), exit: 75)
    #expect(refreshes(world) == 1)
    world.advance(by: .seconds(1))
    world.post(.tokenRotated(.work))
    #expect(refreshes(world) == 2)
  }

  @Test(arguments: [(AttemptClass.transient, Int32(75)), (.configuration, 78)])
  func `a bad token that is rewritten again and again costs a phase a second`(
    outcome: AttemptClass, status: Int32
  ) {
    var world = world { $0.unverifiedSession() }
    for _ in 0..<600 {
      let before = refreshes(world)
      world.post(.tokenRotated(.work))
      if refreshes(world) > before {
        world.publish(world.unverifiedSession(), attempt: world.attempt(outcome), exit: status)
      }
      world.advance(by: .milliseconds(100))
      if world.engine.view(of: .work)?.phase == .running {
        world.publish(world.unverifiedSession(), attempt: world.attempt(outcome), exit: status)
      }
    }
    #expect((55...61).contains(refreshes(world)))
  }

  @Test func `a phase that was under way may have read the token before, and is followed by another`() {
    var world = world { $0.freshSession() }
    world.post(.tokenRotated(.work))
    world.post(.tokenRotated(.work))
    #expect(refreshes(world) == 1)
    world.publish(world.freshSession(), attempt: world.attempt(.success))
    world.advance(by: .seconds(20))
    #expect(refreshes(world) == 2)
    world.publish(world.freshSession(), attempt: world.attempt(.success))
    world.advance(by: .seconds(600))
    #expect(refreshes(world) == 2)
  }

  @Test func `a file that is rewritten again and again costs a phase now and then`() {
    var world = world { $0.freshSession() }
    var answered = 0
    func answer() {
      guard refreshes(world) > answered else { return }
      answered = refreshes(world)
      world.publish(world.freshSession(), attempt: world.attempt(.success))
    }
    for _ in 0..<600 {
      world.post(.tokenRotated(.work))
      answer()
      world.advance(by: .milliseconds(100))
      answer()
    }
    #expect((4...5).contains(answered))
    // The last one is taken, and that is all.
    for _ in 0..<600 {
      world.advance(by: .milliseconds(100))
      answer()
    }
    #expect((5...6).contains(answered))
  }

  @Test func `a provider that was set aside is tried again`() {
    var world = world { $0.unverifiedSession() }
    world.post(.tokenRotated(.work))
    world.publish(world.unverifiedSession(), attempt: world.attempt(.configuration), exit: 78)
    world.advance(by: .seconds(3600))
    #expect(refreshes(world) == 1)
    world.post(.tokenRotated(.work))
    #expect(refreshes(world) == 2)
  }

  @Test func `who is logged out stays so`() {
    var world = world { _ in .absent(.loggedOut) }
    world.post(.tokenRotated(.work))
    #expect(world.phases.filter { $0.verb == .refresh }.isEmpty)
    world.publish(world.freshSession())
    world.advance(by: .seconds(600))
    #expect(refreshes(world) == 0)
  }
}
