import AuthModel
import JobEngine
import Scheduling
import Testing

/// Crash, reboot, shutdown, reload.
@Suite struct RecoveryTests {
  func running(_ job: JobDefinition) throws -> (World, RunID) {
    var world = World()
    world.start([job])
    let id = try world.run(job.id)
    return (world, id)
  }

  @Test func `a run whose process is gone was interrupted, and is started again once`() throws {
    let (world, id) = try running(.job())
    var next = world.restarted()
    next.start([.job()])
    #expect(next.record(id)?.state == .running)
    #expect(next.record(id)?.attempt == 2)
    #expect(next.ledger.attempts[id] == [1: .interrupted])
    next.exit(id)
    #expect(next.record(id)?.state == .succeeded)
    #expect(next.launches.count == 1)
  }

  @Test func `a run whose process is alive is adopted, not started again`() throws {
    var (world, id) = try running(.job())
    world.survivors = [id]
    var next = world.restarted()
    next.start([.job()])
    #expect(next.record(id)?.state == .running)
    #expect(next.launches.isEmpty)
    next.end(id, .unknown)
    #expect(next.record(id)?.state == .failed)
    #expect(next.record(id)?.reason == "exit-unknown")
  }

  @Test func `after a reboot nothing is looked for`() throws {
    var (world, id) = try running(.job())
    world.survivors = [id]
    var next = world.restarted(boot: BootID("b2"))
    next.start([.job()])
    #expect(next.record(id)?.attempt == 2)
  }

  @Test func `give-up records the interruption as the verdict`() throws {
    let job = JobDefinition.job { $0.onInterrupted = .giveUp }
    let (world, id) = try running(job)
    var next = world.restarted()
    next.start([job])
    #expect(next.record(id)?.state == .interrupted)
    #expect(next.launches.isEmpty)
  }

  @Test func `three crashes within 72 hours quarantine the due`() throws {
    var (world, id) = try running(.job())
    for _ in 0..<3 {
      world = world.restarted(after: .seconds(3600))
      world.start([.job()])
    }
    #expect(world.record(id)?.state == .quarantined)
    #expect(world.record(id)?.attempt == 3)
  }

  @Test func `a shutdown stops runs, uses up no attempt, and they are started again`() throws {
    let job = JobDefinition.job { $0.retry.attempts = 1 }
    var (world, id) = try running(job)
    world.post(.shutdownRequested)
    #expect(world.signals.map(\.signal) == [.terminate])
    #expect(!world.hasLeft)
    world.end(id, .signaled(15))
    #expect(world.hasLeft)
    #expect(world.ledger.attempts[id] == [1: .interrupted])
    var next = world.restarted(boot: BootID("b2"))
    next.start([job])
    #expect(next.record(id)?.state == .running)
    #expect(next.record(id)?.failures == 0)
    #expect(next.record(id)?.interruptions == [])
  }

  @Test func `a run that ends well within its grace has succeeded`() throws {
    var (world, id) = try running(.job())
    world.post(.shutdownRequested)
    world.exit(id)
    #expect(world.record(id)?.state == .succeeded)
    #expect(world.hasLeft)
  }

  @Test func `a shutdown kills what outstays its grace`() throws {
    var (world, _) = try running(.job())
    world.post(.shutdownRequested)
    world.advance(by: .seconds(10))
    #expect(world.signals.map(\.signal) == [.terminate, .kill])
  }

  @Test func `a stopping daemon takes no work`() throws {
    var (world, _) = try running(
      .job {
        $0.schedule.intervals = [.seconds(1)]
        $0.overlap = .allow
      })
    let before = world.launches.count
    world.post(.shutdownRequested)
    world.advance(by: .seconds(5))
    #expect(world.launches.count == before)
    #expect(world.request(.run(.job), 9) == .refused(.stopping))
  }

  @Test func `a shutdown between the stamp and the start leaves the due to the next daemon`() throws {
    var engine = Engine(bootID: BootID("b1"), machineID: "m", now: .testStart)
    var ledger = FakeLedger()
    _ = engine.handle(.started(Definitions([.job()]), Recovery(), [:]), at: .testStart)
    var effects = engine.handle(.requested(RequestID(rawValue: 1), .run(.job)), at: .testStart)
    for case .store(let write) in effects { _ = ledger.perform(write) }
    let id = try #require(ledger.runs.keys.first)
    effects = engine.handle(.shutdownRequested, at: .testStart)
    #expect(!effects.contains(.exit))
    effects = engine.handle(.stamped(id, isNew: true), at: .testStart)
    for case .store(let write) in effects { _ = ledger.perform(write) }
    #expect(effects.contains(.exit))
    #expect(ledger.runs[id]?.state == .queued)
    var next = World(boot: BootID("b2"), ledger: ledger)
    next.start([.job()])
    #expect(next.record(id)?.state == .running)
    #expect(next.record(id)?.attempt == 1)
  }

  @Test func `the foreground queue survives`() throws {
    var world = World()
    world.start([.verified()], providers: [.work { $0.foreground = .manual }])
    world.publish(world.unverifiedSession())
    let id = try world.run(.job)
    var next = world.restarted(boot: BootID("b2"), after: .seconds(3600))
    next.start([.verified()], providers: [.work { $0.foreground = .manual }])
    next.publish(next.freshSession())
    #expect(next.record(id)?.state == .running)
  }

  @Test func `a retry that was waiting waits on`() throws {
    let job = JobDefinition.job {
      $0.retry.attempts = 2
      $0.retry.initial = .seconds(100)
    }
    var (world, id) = try running(job)
    world.exit(id, 1)
    var next = world.restarted(after: .seconds(50))
    next.start([job])
    next.advance(by: .seconds(49))
    #expect(next.record(id)?.state == .retrying)
    next.advance(by: .seconds(22))
    #expect(next.record(id)?.state == .running)
  }

  @Test func `a run whose job file is gone is cancelled, and its process ended`() throws {
    var (world, id) = try running(.job())
    world.survivors = [id]
    var next = world.restarted()
    next.start([])
    #expect(next.signals.map(\.signal) == [.terminate])
    next.end(id, .unknown)
    #expect(next.record(id)?.state == .cancelled)
  }

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

  @Test func `a shutdown does not bring back what was cancelled`() throws {
    var (world, id) = try running(.job())
    world.request(.cancel([try #require(world.record(id))]), 2)
    world.post(.shutdownRequested)
    world.end(id, .signaled(15))
    #expect(world.record(id)?.state == .cancelled)
    #expect(world.hasLeft)
  }

  @Test func `runs that may overlap all go on after a shutdown`() throws {
    let job = JobDefinition.job { $0.overlap = .allow }
    var world = World()
    world.start([job])
    for _ in 0..<3 { _ = try world.run(.job) }
    world.post(.shutdownRequested)
    for id in Array(world.processes.keys) { world.end(id, .signaled(15)) }
    world.restart(boot: BootID("b2"))
    world.start([job])
    #expect(world.states(.job) == [.running, .running, .running])
  }

  @Test func `a run that is gone was cancelled when its job file is gone too`() throws {
    var (world, id) = try running(.job())
    world.restart()
    world.start([])
    #expect(world.record(id)?.state == .cancelled)
    #expect(world.record(id)?.reason == "no-definition")
  }

  @Test func `a run of a job whose file went away is not tried again`() throws {
    var (world, id) = try running(.job { $0.retry.attempts = 3 })
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

  @Test func `a run that is being stopped for a lost constraint waits for the next daemon`() throws {
    var world = World()
    var online = Conditions()
    online.hasDefaultRoute = true
    world.start([
      .job {
        $0.constraints.network = true
        $0.constraints.onLost = .stop
      }
    ])
    world.post(.conditionsChanged(online))
    let id = try world.run(.job)
    world.post(.conditionsChanged(Conditions()))
    world.post(.shutdownRequested)
    world.post(.conditionsChanged(online))
    world.end(id, .signaled(15))
    #expect(world.record(id)?.state == .queued)
    #expect(world.hasLeft)
  }
}
