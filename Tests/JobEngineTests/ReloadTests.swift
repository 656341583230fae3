import AuthModel
import JobEngine
import Scheduling
import Testing

/// Files that change, go away and come back.
@Suite struct ReloadTests {
  @Test func `a reload fires nothing again and keeps what is under way`() throws {
    let job = JobDefinition.job { $0.schedule.intervals = [.seconds(60)] }
    var world = World()
    world.start([job])
    world.advance(by: .zero)
    let id = try #require(world.records(.job).first?.id)
    world.post(.reloaded(Definitions([job])))
    var changed = job
    changed.description = "changed"
    world.post(.reloaded(Definitions([changed])))
    world.advance(by: .seconds(1))
    #expect(world.launches.count == 1)
    world.exit(id)
    world.advance(by: .seconds(59))
    #expect(world.launches.count == 2)
  }

  @Test func `a job file that comes back finds its queue`() throws {
    var world = World()
    let provider = ProviderDefinition.work { $0.foreground = .manual }
    world.start([.verified()], providers: [provider])
    world.publish(world.unverifiedSession())
    let id = try world.run(.job)
    world.post(.reloaded(Definitions([], [provider])))
    world.publish(world.freshSession())
    #expect(world.record(id)?.state == .deferred)
    world.post(.reloaded(Definitions([.verified()], [provider])))
    #expect(world.record(id)?.state == .running)
  }

  @Test func `a run of a job whose file went away is not tried again`() throws {
    var world = World()
    world.start([.job { $0.retry.attempts = 3 }])
    let id = try world.run(.job)
    world.post(.reloaded(Definitions([])))
    world.exit(id, 1)
    #expect(world.record(id)?.state == .failed)
  }

  @Test func `a job file that comes back finds its pause and its anchors`() throws {
    let job = JobDefinition.job { $0.schedule.intervals = [.seconds(3600)] }
    var world = World()
    world.start([job])
    world.advance(by: .zero)
    world.exit(try #require(world.records(.job).first?.id))
    world.request(.pause(.job))
    world.post(.reloaded(Definitions([])))
    world.post(.reloaded(Definitions([job])))
    world.advance(by: .seconds(60))
    #expect(world.records(.job).count == 1)
    #expect(world.ledger.progress[.job]?.isPaused == true)
  }

  @Test func `a provider file that comes back finds its queue`() throws {
    let provider = ProviderDefinition.work { $0.foreground = .manual }
    var world = World()
    world.start([.verified()], providers: [provider])
    world.publish(world.unverifiedSession())
    let id = try world.run(.job)
    world.post(.reloaded(Definitions([.verified()], [])))
    world.post(.reloaded(Definitions([.verified()], [provider])))
    world.publish(world.freshSession())
    #expect(world.record(id)?.state == .running)
    #expect(world.engine.view(of: .work)?.deferred == 0)
  }

  @Test func `whoever waits for a phase is answered when its provider goes away`() throws {
    var world = World()
    world.start([], providers: [.work()])
    #expect(world.request(.foreground(.work), 7) == nil)
    world.post(.reloaded(Definitions([])))
    #expect(world.replies[RequestID(rawValue: 7)] != nil)
  }

  @Test(arguments: [false, true])
  func `the entries of a job follow it to another provider`(restarts: Bool) throws {
    let other = ProviderName("other")
    let providers = [
      ProviderDefinition.work { $0.foreground = .manual },
      .work {
        $0.name = other
        $0.foreground = .manual
      },
    ]
    let before = JobDefinition.verified { $0.auth.coalesce = .all }
    var after = before
    after.auth.provider = other
    var world = World()
    world.start([before], providers: providers)
    world.publish(world.unverifiedSession())
    let ids = try (0..<2).map { _ in try world.run(.job) }
    if restarts {
      world.restart()
      world.start([after], providers: providers)
    } else {
      world.post(.reloaded(Definitions([after], providers)))
    }
    #expect(world.engine.view(of: .work)?.deferred == 0)
    #expect(world.engine.view(of: other)?.deferred == 2)
    let fresh = Snapshot(
      generation: 1, published: Moment(bootID: world.bootID, now: world.now), session: world.freshSession())
    world.post(.snapshotChanged(other, .snapshot(fresh)))
    #expect(world.launches.map(\.token?.provider) == [other])
    world.exit(try #require(world.launches.first?.record.id))
    #expect(Set(world.launches.map(\.record.id)) == Set(ids))
    #expect(world.engine.view(of: other)?.deferred == 0)
  }

  @Test func `a job file that goes away takes all its queued runs with it`() throws {
    var world = World()
    world.start([
      .job {
        $0.overlap = .queue
        $0.retry.attempts = 2
      }
    ])
    world.exit(try world.run(.job), 1)
    for _ in 0..<2 { _ = try world.run(.job) }
    #expect(Set(world.states(.job)) == [.retrying, .queued])
    world.post(.reloaded(Definitions([])))
    #expect(world.states(.job) == [.cancelled, .cancelled, .cancelled])
    #expect(world.launches.count == 1)
  }
}
