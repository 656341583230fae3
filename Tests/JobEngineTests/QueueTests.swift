import AuthModel
import JobEngine
import Scheduling
import Testing

/// The foreground queue.
@Suite struct QueueTests {
  func unverified(_ job: JobDefinition, provider: ProviderDefinition = .work()) -> World {
    var world = World()
    world.start([job], providers: [provider])
    world.publish(world.unverifiedSession())
    return world
  }

  @Test func `a due that needs a token is deferred, refreshed for, and drained with the new token`() throws {
    var world = unverified(.verified())
    let id = try world.run(.job)
    #expect(world.record(id)?.state == .deferred)
    #expect(world.record(id)?.reason == "unverified")
    #expect(world.phases.last?.verb == .refresh)
    world.publish(world.freshSession(), attempt: world.attempt(.success, failures: 0))
    #expect(world.record(id)?.state == .running)
    #expect(world.launches.last?.token?.generation == 1)
    world.exit(id)
    #expect(world.record(id)?.state == .succeeded)
  }

  @Test func `latest keeps the later due and covers the earlier`() throws {
    var world = unverified(.verified())
    let first = try world.run(.job)
    let second = try world.run(.job)
    #expect(world.record(first)?.state == .coalesced)
    #expect(world.record(first)?.reason == "later-due")
    #expect(world.record(second)?.state == .deferred)
    #expect(world.record(second)?.covers == 1)
  }

  @Test func `earliest keeps the earlier due and covers the later`() throws {
    var world = unverified(.verified { $0.auth.coalesce = .earliest })
    let first = try world.run(.job)
    let second = try world.run(.job)
    #expect(world.record(first)?.state == .deferred)
    #expect(world.record(first)?.covers == 1)
    #expect(world.record(second)?.state == .coalesced)
  }

  @Test func `all keeps every due, up to the limit`() throws {
    var world = unverified(
      .verified {
        $0.auth.coalesce = .all
        $0.auth.maxDeferred = 2
      })
    for _ in 0..<3 { _ = try world.run(.job) }
    #expect(world.states(.job).filter { $0 == .deferred }.count == 2)
    #expect(world.records(.job).first { $0.state == .skipped }?.reason == "queue-full")
  }

  @Test func `a deferred run expires`() throws {
    var world = unverified(
      .verified { $0.auth.deferFor = .seconds(3600) }, provider: .work { $0.foreground = .manual })
    let id = try world.run(.job)
    world.advance(by: .seconds(3599))
    #expect(world.record(id)?.state == .deferred)
    world.advance(by: .seconds(2))
    #expect(world.record(id)?.state == .expired)
  }

  @Test func `a wall clock that is set forward does not expire the queue`() throws {
    var world = unverified(
      .verified { $0.auth.deferFor = .seconds(3600) }, provider: .work { $0.foreground = .manual })
    let id = try world.run(.job)
    world.step(by: .seconds(40 * 365 * 86_400))
    #expect(world.record(id)?.state == .deferred)
    world.advance(by: .seconds(3601))
    #expect(world.record(id)?.state == .expired)
  }

  @Test func `the drain keeps to its concurrency and to the order`() throws {
    let jobs = (0..<6).map { number in
      JobDefinition.verified(JobID("j\(number)")) { $0.priority = number == 5 ? 1 : 0 }
    }
    var world = World()
    world.start(jobs, providers: [.work()])
    world.publish(world.unverifiedSession())
    for job in jobs {
      _ = try world.run(job.id)
      world.advance(by: .seconds(1))
    }
    world.publish(world.freshSession(), attempt: world.attempt(.success))
    #expect(world.launches.map(\.job.id.description) == ["j5", "j0", "j1", "j2"])
    world.exit(try #require(world.launches.first?.record.id))
    #expect(world.launches.map(\.job.id.description) == ["j5", "j0", "j1", "j2", "j3"])
    for launch in world.launches { world.exit(launch.record.id) }
    #expect(world.launches.count == 6)
  }

  @Test func `each entry is gated again when it is taken`() throws {
    var world = World()
    let jobs = (0..<5).map { JobDefinition.verified(JobID("j\($0)")) }
    world.start(jobs, providers: [.work { $0.foreground = .manual }])
    world.publish(world.unverifiedSession())
    for job in jobs { _ = try world.run(job.id) }
    world.publish(world.freshSession(lifetime: .seconds(300)))
    #expect(world.launches.count == 4)
    world.advance(by: .seconds(301))
    world.exit(try #require(world.launches.first?.record.id))
    #expect(world.launches.count == 4, "the token has expired meanwhile")
    #expect(world.ledger.deferred.count == 1)
  }

  @Test func `a definite rejection leaves the queue as it is`() throws {
    var world = unverified(.verified())
    let id = try world.run(.job)
    world.publish(.absent(.rejected), attempt: world.attempt(.definite), exit: 77)
    #expect(world.record(id)?.state == .deferred)
    #expect(world.reports.contains(.loginRequired(.work, .rejected, blocked: 1)))
    let before = world.phases.count
    world.advance(by: .seconds(3600))
    #expect(world.phases.count == before, "nothing is tried until somebody logs in")
    world.publish(world.freshSession())
    #expect(world.record(id)?.state == .running)
  }

  @Test func `a job that needs only a session is released by an unverified one`() throws {
    var world = World()
    world.start([.verified { $0.auth.requires = .session }], providers: [.work()])
    let id = try world.run(.job)
    #expect(world.record(id)?.reason == "not-ready")
    world.publish(world.unverifiedSession())
    #expect(world.record(id)?.state == .running)
  }

  @Test func `a token that never lives long enough counts when it is fresh`() throws {
    var world = unverified(.verified { $0.auth.minTokenLifetime = .seconds(300) })
    let id = try world.run(.job)
    world.publish(world.freshSession(lifetime: .seconds(60)), attempt: world.attempt(.success))
    #expect(world.record(id)?.state == .running)
    #expect(world.reports.contains { if case .tokenAlwaysTooShort = $0 { true } else { false } })
    #expect(world.phases.filter { $0.verb == .refresh }.count == 1, "deferral must not loop")
  }

  @Test func `a due near the token's end is deferred until it is renewed`() throws {
    var world = World()
    world.start([.verified { $0.auth.minTokenLifetime = .seconds(300) }], providers: [.work()])
    world.publish(world.freshSession(lifetime: .seconds(3600)))
    world.advance(by: .seconds(3400))
    let id = try world.run(.job)
    #expect(world.record(id)?.reason == "token-too-short")
    #expect(world.phases.last?.verb == .refresh)
    world.publish(world.freshSession(lifetime: .seconds(3600)), attempt: world.attempt(.success))
    #expect(world.record(id)?.state == .running)
  }

  @Test func `a refused token is suspect, and the run waits for the next one`() throws {
    var world = World()
    world.start([.verified()], providers: [.work()])
    world.publish(world.freshSession())
    let id = try world.run(.job)
    world.exit(id, 77)
    #expect(world.record(id)?.state == .deferred)
    #expect(world.record(id)?.reason == "token-refused")
    #expect(world.phases.last?.verb == .refresh)
    world.publish(world.freshSession(), attempt: world.attempt(.success))
    #expect(world.record(id)?.state == .running)
    world.exit(id, 77)
    #expect(world.ledger.attempts[id] == [1: .refused, 2: .refused])
  }

  @Test func `a paused job's entries stay queued until it is resumed`() throws {
    var world = unverified(.verified())
    let id = try world.run(.job)
    world.request(.pause(.job), 2)
    world.publish(world.freshSession(), attempt: world.attempt(.success))
    #expect(world.record(id)?.state == .deferred)
    world.request(.resume(.job), 3)
    #expect(world.record(id)?.state == .running)
  }

  @Test func `a cancelled entry leaves the queue`() throws {
    var world = unverified(.verified())
    let id = try world.run(.job)
    world.request(.cancel([try #require(world.record(id))]), 2)
    #expect(world.record(id)?.state == .cancelled)
    world.publish(world.freshSession(), attempt: world.attempt(.success))
    #expect(world.launches.isEmpty)
  }

  @Test func `a run whose token was refused does not wait when the next token is there already`() throws {
    var world = World()
    world.start([.verified { $0.overlap = .allow }], providers: [.work { $0.foreground = .manual }])
    world.publish(world.freshSession())
    let id = try world.run(.job)
    world.publish(world.freshSession())
    world.exit(id, 77)
    #expect(world.record(id)?.state == .running)
    #expect(world.launches.last?.token?.generation == 2)
  }

  @Test func `a long drained run does not hold up what is deferred after it`() throws {
    let jobs = ["long", "short"].map { JobDefinition.verified(JobID($0)) }
    var world = World()
    world.start(jobs, providers: [.work()])
    world.publish(world.unverifiedSession())
    _ = try world.run(JobID("long"))
    world.publish(world.freshSession(lifetime: .seconds(300)), attempt: world.attempt(.success))
    #expect(world.states(JobID("long")) == [.running])
    world.publish(world.unverifiedSession())
    let id = try world.run(JobID("short"))
    world.publish(world.freshSession(), attempt: world.attempt(.success))
    #expect(world.states(JobID("long")) == [.running])
    #expect(world.record(id)?.state == .running)
  }

  @Test(arguments: [AuthPolicy.CoalescePolicy.latest, .earliest])
  func `coalescing goes by the due, not by who comes last`(policy: AuthPolicy.CoalescePolicy) throws {
    var world = World()
    world.start(
      [
        .verified {
          $0.overlap = .allow
          $0.auth.coalesce = policy
        }
      ], providers: [.work { $0.foreground = .manual }])
    world.publish(world.freshSession())
    let older = try world.run(.job)
    world.advance(by: .seconds(1))
    world.publish(world.unverifiedSession())
    let newer = try world.run(.job)
    world.exit(older, 77)
    let (kept, merged) = policy == .latest ? (newer, older) : (older, newer)
    #expect(world.record(kept)?.state == .deferred)
    #expect(world.record(kept)?.covers == 1)
    #expect(world.record(merged)?.state == .coalesced)
    #expect(world.record(merged)?.reason == (policy == .latest ? "later-due" : "earlier-due"))
  }
}
