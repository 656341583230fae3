import AuthModel
import JobEngine
import Scheduling
import Testing

/// Events that come in together: what was decided before the ledger answered may not hold after it.
@Suite struct TurnTests {
  func ask(_ number: UInt64, for job: JobID = .job) -> Event {
    .requested(RequestID(rawValue: number), .run(job))
  }

  func snapshot(_ world: World, _ session: Snapshot.Session) -> Event {
    .snapshotChanged(
      .work,
      .snapshot(
        Snapshot(generation: 99, published: Moment(bootID: world.bootID, now: world.now), session: session)))
  }

  @Test(arguments: [JobDefinition.OverlapPolicy.queue, .replace])
  func `a run is not left behind when the earlier one ends while the ledger is asked`(
    overlap: JobDefinition.OverlapPolicy
  ) throws {
    var world = World()
    world.start([.job { $0.overlap = overlap }])
    let first = try world.run(.job)
    world.processes = [:]
    world.post([ask(2), .exited(first, attempt: 1, .exited(0))])
    #expect(world.launches.count == 2)
    #expect(world.records(.job).last?.state == .running)
  }

  @Test func `a session that ends while the ledger is asked keeps the gate closed`() throws {
    var world = World()
    world.start([.verified()], providers: [.work()])
    world.publish(world.freshSession())
    world.post([ask(2), snapshot(world, .absent(.loggedOut))])
    #expect(world.launches.isEmpty)
    #expect(world.states(.job) == [.skipped])
    #expect(world.records(.job).first?.attempt == 0)
  }

  @Test func `a session that is verified while the ledger is asked lets the run start`() throws {
    var world = World()
    world.start([.verified()], providers: [.work { $0.foreground = .manual }])
    world.publish(world.unverifiedSession())
    world.post([ask(2), snapshot(world, world.freshSession())])
    #expect(world.states(.job) == [.running])
  }

  @Test func `constraints that are met while the ledger is asked let the run start`() throws {
    var world = World()
    world.start([.job { $0.constraints.network = true }])
    var online = Conditions()
    online.hasDefaultRoute = true
    world.post([ask(2), .conditionsChanged(online)])
    #expect(world.states(.job) == [.running])
  }

  @Test func `a due that the ledger knew holds up no entry of its job`() throws {
    let job = JobDefinition.verified { $0.schedule.afterBoot = [.seconds(610)] }
    let provider = ProviderDefinition.work { $0.foreground = .manual }
    var world = World()
    world.start([job], providers: [provider])
    world.publish(world.freshSession())
    world.advance(by: .seconds(10))
    world.exit(try #require(world.processes.keys.first))
    world.publish(world.unverifiedSession())
    let deferred = try world.run(.job)
    // The next daemon of this boot makes the due again while it looks at the queue.
    world.restart()
    world.post([
      .started(Definitions([job], [provider]), world.ledger.recovery(), [:]),
      snapshot(world, world.freshSession()), .woke,
    ])
    #expect(world.record(deferred)?.state == .running)
  }

  @Test func `a stopping daemon starts nothing when the conditions change`() throws {
    var world = World()
    world.start([.job { $0.constraints.network = true }, .job(JobID("busy"))])
    _ = try world.run(JobID("busy"))
    _ = try world.run(.job)
    world.post(.shutdownRequested)
    var online = Conditions()
    online.hasDefaultRoute = true
    world.post(.conditionsChanged(online))
    #expect(world.launches.count == 1)
    #expect(world.states(.job) == [.waiting])
  }

  @Test func `a cancellation that is too late changes no verdict and no count`() throws {
    var world = World()
    let job = JobDefinition.verified { $0.auth.coalesce = .all }
    world.start([job], providers: [.work { $0.foreground = .manual }])
    world.publish(world.unverifiedSession())
    let first = try world.run(.job)
    let second = try world.run(.job)
    let record = try #require(world.record(first))
    world.post((2...3).map { .requested(RequestID(rawValue: $0), .cancel([record])) })
    #expect(world.replies[RequestID(rawValue: 2)] == .runs([first]))
    #expect(world.replies[RequestID(rawValue: 3)] == .runs([]))
    #expect(world.engine.view(of: .work)?.deferred == 1)
    world.publish(world.freshSession())
    #expect(world.record(second)?.state == .running)
  }

  @Test func `a token that is replaced while the ledger is asked is not the one that is written down`() throws
  {
    var world = World()
    world.start([.verified()], providers: [.work()])
    world.publish(world.freshSession())
    world.post([ask(2), snapshot(world, world.freshSession())])
    #expect(world.launches.map(\.token?.generation) == [2])
    #expect(world.records(.job).map(\.tokenGeneration) == [2])
    #expect(world.records(.job).map(\.attempt) == [1])
  }
}
