import AuthModel
import JobEngine
import Scheduling
import Testing

/// A service refuses an access token that looked good: exit 77.
@Suite struct RefusedTokenTests {
  private let other = JobID("com.example.other")

  private func refreshes(_ world: World) -> Int { world.phases.filter { $0.verb == .refresh }.count }

  private func state(_ world: World) -> String? { world.engine.view(of: .work)?.state.name }

  /// Two jobs, a session, and the first job's token refused.
  private func refusedWorld(_ provider: ProviderDefinition = .work()) throws -> World {
    var world = World()
    world.start([.verified(), .verified(other)], providers: [provider])
    world.publish(world.freshSession())
    world.exit(try world.run(.job), 77)
    return world
  }

  @Test func `a refused token is replaced once`() throws {
    var world = try refusedWorld()
    #expect(refreshes(world) == 1)
    world.publish(world.freshSession(), attempt: world.attempt(.success))
    for id in Array(world.processes.keys) { world.exit(id) }
    world.advance(by: .seconds(3000))
    #expect(refreshes(world) == 1)
    #expect(world.states(.job) == [.succeeded])
  }

  @Test func `a refused token is not handed out again by the next daemon`() throws {
    var world = World()
    world.start([.verified(), .verified(other)], providers: [.work { $0.foreground = .manual }])
    let session = world.freshSession()
    world.publish(session)
    world.exit(try world.run(.job), 77)
    #expect(state(world) == "authenticatedUnverified")

    world.restart()
    world.start([.verified(), .verified(other)], providers: [.work { $0.foreground = .manual }])
    world.publish(session)
    #expect(state(world) == "authenticatedUnverified")
    let id = try world.run(other)
    #expect(world.record(id)?.state == .deferred)
    world.publish(world.freshSession())
    #expect(state(world) == "authenticated")
    #expect(world.record(id)?.state == .running)
  }

  @Test func `a session that begins anew is not suspect for its low number`() throws {
    var world = try refusedWorld(.work { $0.foreground = .manual })
    // The store was lost, and the login counts from one.
    world.advance(by: .seconds(10))
    world.publish(
      .present(
        Snapshot.Present(
          user: User(id: "alice"), tokenGeneration: 1, obtained: Moment(bootID: world.bootID, now: world.now),
          lifetime: nil, verifiedIn: world.bootID)))
    #expect(state(world) == "authenticated")
  }

  @Test func `when the next token is refused as well, the tokens are not what is wrong`() throws {
    var world = try refusedWorld()
    world.publish(world.freshSession(), attempt: world.attempt(.success))
    for id in Array(world.processes.keys) { world.exit(id, 77) }
    #expect(world.states(.job) == [.failed])
    #expect(state(world) == "authenticated")
    // Another job of the same mind costs no refresh either.
    let id = try world.run(other)
    world.exit(id, 77)
    world.exit(id, 77)
    #expect(world.record(id)?.state == .failed)
    world.advance(by: .seconds(3000))
    #expect(refreshes(world) == 1)
  }

  @Test func `a token that was accepted once and is refused later is replaced`() throws {
    var world = try refusedWorld()
    world.publish(world.freshSession(), attempt: world.attempt(.success))
    for id in Array(world.processes.keys) { world.exit(id) }
    world.advance(by: .seconds(600))
    world.exit(try world.run(other), 77)
    #expect(refreshes(world) == 2)
    #expect(state(world) == "authenticatedUnverified")
  }

  @Test func `a refusal does not join a phase that began before it`() throws {
    var world = World()
    world.start([.verified(), .verified(other)], providers: [.work()])
    world.publish(world.freshSession())
    let id = try world.run(.job)
    world.request(.foreground(.work), 7)
    #expect(refreshes(world) == 1)
    world.exit(id, 77)
    // That phase was about to bring the token that is refused now: it adopts, and brings nothing newer.
    world.endPhase(.exited(0))
    #expect(world.record(id)?.state == .deferred)
    world.advance(by: .seconds(20))
    #expect(refreshes(world) == 2)
  }
}
