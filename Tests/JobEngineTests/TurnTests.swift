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

  @Test func `a due that the ledger knew leaves the queue to be drained`() throws {
    let job = JobDefinition.verified { $0.schedule.afterBoot = [.seconds(610)] }
    let provider = ProviderDefinition.work { $0.foreground = .manual }
    var world = World()
    world.start([job], providers: [provider])
    world.publish(world.freshSession())
    world.advance(by: .seconds(10))
    for id in world.processes.keys { world.exit(id) }
    world.publish(world.unverifiedSession())
    let deferred = try world.run(.job)
    var next = world.restarted()
    next.now.boot = Instant(microseconds: 605_000_000)
    next.engine = Engine(bootID: next.bootID, machineID: "m", now: next.now)
    next.start([job], providers: [provider])
    next.now.boot = Instant(microseconds: 610_000_000)
    next.post([.woke, snapshot(next, next.freshSession())])
    #expect(next.record(deferred)?.state == .running)
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
    world.start([.verified()], providers: [.work { $0.foreground = .manual }])
    world.publish(world.unverifiedSession())
    let first = try world.run(.job)
    let record = try #require(world.record(first))
    world.post([ask(2), .requested(RequestID(rawValue: 3), .cancel([record]))])
    world.post(.woke)
    #expect(world.ledger.complaints.isEmpty)
    let open = world.ledger.deferred
    #expect(world.engine.view(of: .work)?.deferred == open.count)
    world.publish(world.freshSession())
    #expect(world.ledger.deferred.isEmpty)
  }
}
