import AuthModel
import JobEngine
import Scheduling
import Testing

/// Crash, reboot, shutdown.
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

  @Test(arguments: [AuthPolicy.CoalescePolicy.latest, .earliest, .all], 1...6)
  func `a crash between two transactions leaves as many entries in the queue as the policy allows`(
    policy: AuthPolicy.CoalescePolicy, commits: Int
  ) throws {
    let job = JobDefinition.verified { $0.auth.coalesce = policy }
    var world = World()
    world.start([job], providers: [.work()])
    world.publish(world.unverifiedSession())
    world.commitsUntilCrash = commits
    for _ in 0..<3 where world.commitsUntilCrash != 0 { _ = try? world.run(.job) }
    let stamped = world.ledger.runs.count
    var next = world.restarted()
    next.start([job], providers: [.work()])
    #expect(next.ledger.runs.count == stamped)
    #expect(next.ledger.openRecords.allSatisfy { $0.state == .deferred })
    let entries = next.ledger.deferred
    #expect(entries.count == (policy == .all ? stamped : min(stamped, 1)))
    #expect(entries.count + entries.reduce(0) { $0 + $1.covers } == stamped)
    #expect(next.ledger.complaints.isEmpty)
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
