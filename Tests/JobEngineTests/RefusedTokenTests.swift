import AuthModel
import JobEngine
import Scheduling
import Testing

/// A service refuses an access token that looked good: exit 77.
@Suite struct RefusedTokenTests {
  private let other = JobID("com.example.other")

  private func refreshes(_ world: World) -> Int { world.phases.filter { $0.verb == .refresh }.count }

  private func isParked(_ world: World) -> Bool { world.engine.view(of: .job)?.isParked == true }

  private func state(_ world: World) -> String? { world.engine.view(of: .work)?.state.name }

  /// Two jobs, a session, and the first job's token refused.
  private func refusedWorld(
    _ provider: ProviderDefinition = .work(), _ change: (inout JobDefinition) -> Void = { _ in }
  ) throws -> World {
    var world = World()
    world.start([.verified(.job, change), .verified(other)], providers: [provider])
    world.publish(world.freshSession())
    world.exit(try world.run(.job), 77)
    return world
  }

  /// The token that replaced it was refused as well.
  private func parkedWorld(_ change: (inout JobDefinition) -> Void = { _ in }) throws -> World {
    var world = try refusedWorld(.work(), change)
    world.publish(world.freshSession(), attempt: world.attempt(.success))
    for id in Array(world.processes.keys) { world.exit(id, 77) }
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

  @Test func `when the next token is refused as well, the run is parked and the tokens are left alone`()
    throws
  {
    var world = try parkedWorld()
    let parked = try #require(world.records(.job).first)
    #expect(parked.state == .deferred)
    #expect(parked.reason == "token-refused-again")
    #expect(isParked(world))
    #expect(state(world) == "authenticated")
    // What is due meanwhile waits with it.
    _ = try world.run(.job)
    #expect(world.states(.job) == [.coalesced, .deferred])
    // Neither its wait nor the token's end asks for another.
    world.advance(by: .seconds(7200))
    #expect(refreshes(world) == 1)
    #expect(world.launches.count == 2)
  }

  @Test func `a parked run holds up no other job`() throws {
    var world = try parkedWorld()
    for _ in 0..<100 {
      let id = try world.run(other)
      #expect(world.record(id)?.state == .running)
      world.exit(id)
      _ = try world.run(.job)
      world.advance(by: .seconds(30))
    }
    #expect(refreshes(world) == 1)
    #expect(world.launches.filter { $0.job.id == .job }.count == 2)
    // The renewal before another job's due is not forgotten either.
    world.advance(by: .seconds(3600))
    let id = try world.run(other)
    #expect(refreshes(world) == 2)
    world.publish(world.freshSession(), attempt: world.attempt(.success))
    #expect(world.record(id)?.state == .running)
  }

  @Test func `another job of the same mind is parked at its first refusal`() throws {
    var world = try parkedWorld()
    let id = try world.run(other)
    world.exit(id, 77)
    #expect(world.record(id)?.reason == "token-refused-again")
    #expect(state(world) == "authenticated")
    world.advance(by: .seconds(7200))
    #expect(refreshes(world) == 1)
  }

  @Test func `a parked run is tried once with each token that comes, and replaces none`() throws {
    var world = try parkedWorld()
    for count in 3...12 {
      world.advance(by: .seconds(600))
      world.publish(world.freshSession())
      #expect(world.launches.count == count)
      for id in Array(world.processes.keys) { world.exit(id, 77) }
      #expect(state(world) == "authenticated")
      #expect(world.states(.job) == [.deferred])
    }
    #expect(refreshes(world) == 1)
    world.publish(world.freshSession())
    for id in Array(world.processes.keys) { world.exit(id) }
    #expect(world.states(.job) == [.succeeded])
    #expect(!isParked(world))
  }

  @Test func `a person's refresh releases a parked run`() throws {
    var world = try parkedWorld()
    world.request(.foreground(.work), 8)
    #expect(refreshes(world) == 2)
    #expect(world.launches.count == 2)
    world.publish(world.freshSession(), attempt: world.attempt(.success))
    #expect(world.states(.job) == [.running])
  }

  @Test func `a reload releases a parked run, and costs no token`() throws {
    var world = try parkedWorld()
    world.post(.reloaded(Definitions([.verified(), .verified(other)], [.work()])))
    #expect(world.states(.job) == [.running])
    for id in Array(world.processes.keys) { world.exit(id, 77) }
    #expect(isParked(world))
    world.advance(by: .seconds(7200))
    #expect(refreshes(world) == 1)
  }

  @Test func `the next daemon tries a parked run once, and costs no token`() throws {
    var world = try parkedWorld()
    let reading = try #require(world.engine.view(of: .work)?.reading)
    world.restart()
    world.start([.verified(), .verified(other)], providers: [.work()])
    world.post(.snapshotChanged(.work, reading))
    #expect(world.states(.job) == [.running])
    for id in Array(world.processes.keys) { world.exit(id, 77) }
    #expect(isParked(world))
    #expect(state(world) == "authenticated")
    #expect(refreshes(world) == 0)
  }

  @Test(arguments: AuthPolicy.CoalescePolicy.allCases)
  func `a due after the refused token's end asks for another, once`(policy: AuthPolicy.CoalescePolicy) throws
  {
    var world = try parkedWorld { $0.auth.coalesce = policy }
    world.advance(by: .seconds(4000))
    #expect(refreshes(world) == 1)
    _ = try world.run(.job)
    #expect(refreshes(world) == 2)
    world.publish(world.freshSession(), attempt: world.attempt(.success))
    for id in Array(world.processes.keys) { world.exit(id, 77) }
    #expect(isParked(world))
    #expect(world.processes.isEmpty)
    world.advance(by: .seconds(7200))
    #expect(refreshes(world) == 2)
  }

  @Test func `a parked run gives up when its time is over, and is told so`() throws {
    var world = try parkedWorld { $0.auth.deferFor = .seconds(600) }
    world.advance(by: .seconds(700))
    #expect(world.states(.job) == [.expired])
    // The next due waits as well: it would be given the same token.
    let id = try world.run(.job)
    #expect(world.record(id)?.reason == "token-refused-again")
    #expect(refreshes(world) == 1)
  }

  @Test func `a token that can't be read twice in a row is a failure of the run, not of the service`() throws
  {
    var world = World()
    world.startsProcesses = false
    world.start([.verified()], providers: [.work()])
    world.publish(world.freshSession())
    let id = try world.run(.job)
    world.post(.spawnFailed(id, attempt: 1, .token("it is gone")))
    #expect(world.record(id)?.state == .deferred)
    #expect(refreshes(world) == 1)
    world.publish(world.freshSession(), attempt: world.attempt(.success))
    world.post(.spawnFailed(id, attempt: 2, .token("it is gone")))
    #expect(world.record(id)?.state == .failed)
    #expect(!isParked(world))
  }

  @Test func `a job that needs no token is not parked`() throws {
    var world = try parkedWorld { $0.overlap = .allow }
    world.post(
      .reloaded(Definitions([.verified { $0.auth.requires = .session }, .verified(other)], [.work()])))
    #expect(world.states(.job) == [.running])
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

  @Test func `the first refusal by a provider whose file is gone parks nobody`() throws {
    var world = World()
    world.start([.verified()], providers: [.work()])
    world.publish(world.freshSession())
    let id = try world.run(.job)
    world.post(.reloaded(Definitions([.verified()], [])))
    world.exit(id, 77)
    #expect(world.record(id)?.state == .deferred)
    #expect(world.record(id)?.reason == "token-refused")
    world.post(.reloaded(Definitions([.verified()], [.work()])))
    #expect(!isParked(world))
    world.publish(world.freshSession())
    #expect(world.states(.job) == [.running])
  }

  @Test func `a parked job stays parked while its session can't be read`() throws {
    var world = try parkedWorld()
    let reading = try #require(world.engine.view(of: .work)?.reading)
    world.post(.snapshotChanged(.work, .notReady(.damagedSnapshot)))
    #expect(!isParked(world))
    world.post(.snapshotChanged(.work, reading))
    #expect(isParked(world))
    #expect(world.states(.job) == [.deferred])
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
