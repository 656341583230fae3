import AuthModel
import JobEngine
import Scheduling
import Testing

/// The arrows of DESIGN's section "A run's life".
@Suite struct RunLifeTests {
  @Test func `a due that passes the gate is stamped, starts, runs and succeeds`() throws {
    var world = World()
    world.start([.job()])
    let id = try world.run(.job)
    #expect(world.record(id)?.state == .running)
    #expect(world.launches.map(\.record.attempt) == [1])
    world.exit(id)
    #expect(world.record(id)?.state == .succeeded)
    #expect(world.ledger.attempts[id] == [1: .succeeded])
  }

  @Test func `nothing starts before the ledger has accepted the due`() {
    var engine = Engine(bootID: BootID("b1"), machineID: "m", now: .testStart)
    _ = engine.handle(.started(Definitions([.job()]), Recovery(), [:]), at: .testStart)
    let effects = engine.handle(
      .requested(RequestID(rawValue: 1), .run(.job)), at: .testStart)
    #expect(!effects.contains { if case .spawn = $0 { true } else { false } })
    #expect(effects.contains { if case .store(.stamp) = $0 { true } else { false } })
  }

  @Test func `a due that the ledger knows is not decided again`() throws {
    var world = World()
    world.start([.job { $0.schedule.afterBoot = [.seconds(700)] }])
    world.advance(by: .seconds(101))
    let id = try #require(world.records(.job).first?.id)
    world.exit(id)
    var next = world.restarted()
    next.start([.job { $0.schedule.afterBoot = [.seconds(700)] }])
    next.advance(by: .seconds(200))
    #expect(next.launches.isEmpty)
    #expect(next.states(.job) == [.succeeded])
  }

  @Test func `a failed attempt is followed by others until none is left`() throws {
    var world = World()
    world.start([
      .job {
        $0.retry.attempts = 3
        $0.retry.initial = .seconds(10)
      }
    ])
    let id = try world.run(.job)
    world.exit(id, 1)
    #expect(world.record(id)?.state == .retrying)
    let next = try #require(world.engine.nextAttempt(of: id))
    #expect((Duration.seconds(10)...Duration.seconds(12)).contains(next - world.now.wall))
    world.advance(by: .seconds(9))
    #expect(world.launches.count == 1, "jitter is added after the delay, never before it")
    world.advance(by: .seconds(4))
    #expect(world.engine.nextAttempt(of: id) == nil)
    world.exit(id, 1)
    world.advance(by: .seconds(30))
    world.exit(id, 2)
    #expect(world.record(id)?.state == .failed)
    #expect(world.record(id)?.reason == "exit-2")
    #expect(world.ledger.attempts[id] == [1: .failed, 2: .failed, 3: .failed])
  }

  @Test func `exit status 75 asks for another attempt without a retry policy`() throws {
    var world = World()
    world.start([.job()])
    let id = try world.run(.job)
    world.exit(id, 75)
    #expect(world.record(id)?.state == .retrying)
    world.advance(by: .seconds(60))
    world.exit(id)
    #expect(world.record(id)?.state == .succeeded)
    #expect(world.ledger.attempts[id] == [1: .temporary, 2: .succeeded])
  }

  @Test func `a run that exceeds its time limit gets SIGTERM, then SIGKILL after its grace`() throws {
    var world = World()
    world.start([
      .job {
        $0.limits.timeLimit = .seconds(30)
        $0.limits.grace = .seconds(10)
      }
    ])
    let id = try world.run(.job)
    world.advance(by: .seconds(29))
    #expect(world.signals.isEmpty)
    world.advance(by: .seconds(1))
    #expect(world.signals.map(\.signal) == [.terminate])
    world.advance(by: .seconds(10))
    #expect(world.signals.map(\.signal) == [.terminate, .kill])
    world.end(id, .signaled(9))
    #expect(world.record(id)?.state == .timedOut)
    #expect(world.ledger.attempts[id] == [1: .timedOut])
  }

  @Test func `a program that cannot be started is a failure that says why`() throws {
    var world = World()
    world.startsProcesses = false
    world.start([.job()])
    let id = try world.run(.job)
    world.post(.spawnFailed(id, attempt: 1, .program("cannot run '/nowhere'")))
    #expect(world.record(id)?.state == .failed)
    #expect(world.record(id)?.reason == "cannot run '/nowhere'")
  }

  @Test func `an answer of an earlier attempt is dropped`() throws {
    var world = World()
    world.start([
      .job {
        $0.retry.attempts = 2
        $0.retry.initial = .seconds(1)
      }
    ])
    let id = try world.run(.job)
    world.exit(id, 1)
    world.advance(by: .seconds(2))
    world.post(.exited(id, attempt: 1, .exited(0)))
    #expect(world.record(id)?.state == .running)
    #expect(world.record(id)?.attempt == 2)
  }

  @Test func `a waiting run starts when its constraints are met`() throws {
    var world = World()
    world.start([.job { $0.constraints.network = true }])
    let id = try world.run(.job)
    #expect(world.record(id)?.state == .waiting)
    var conditions = Conditions()
    conditions.hasDefaultRoute = true
    world.post(.conditionsChanged(conditions))
    #expect(world.record(id)?.state == .running)
  }

  @Test func `a waiting run expires when its constraints are never met`() throws {
    var world = World()
    world.start([
      .job {
        $0.constraints.network = true
        $0.constraints.wait = .seconds(60)
      }
    ])
    let id = try world.run(.job)
    world.advance(by: .seconds(61))
    #expect(world.record(id)?.state == .expired)
    #expect(world.record(id)?.reason == "constraints")
  }

  @Test func `a run is stopped when a constraint is lost, and waits again without using up an attempt`()
    throws
  {
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
    #expect(world.signals.map(\.signal) == [.terminate])
    world.end(id, .signaled(15))
    #expect(world.record(id)?.state == .waiting)
    world.post(.conditionsChanged(online))
    #expect(world.record(id)?.state == .running)
    #expect(world.record(id)?.failures == 0)
    #expect(world.ledger.attempts[id] == [1: .interrupted])
  }

  @Test func `a cancelled run is stopped and says so`() throws {
    var world = World()
    world.start([.job()])
    let id = try world.run(.job)
    let record = try #require(world.record(id))
    #expect(world.request(.cancel([record]), 2) == .runs([id]))
    world.end(id, .signaled(15))
    #expect(world.record(id)?.state == .cancelled)
  }

  @Test func `a cancelled waiting run ends at once`() throws {
    var world = World()
    world.start([.job { $0.constraints.network = true }])
    let id = try world.run(.job)
    world.request(.cancel([try #require(world.record(id))]), 2)
    #expect(world.record(id)?.state == .cancelled)
  }

  @Test func `a paused job skips its dues but runs when a person asks`() throws {
    var world = World()
    world.start([.job { $0.schedule.intervals = [.seconds(60)] }])
    world.advance(by: .zero)
    let first = try #require(world.records(.job).first?.id)
    world.exit(first)
    world.request(.pause(.job))
    world.advance(by: .seconds(60))
    #expect(world.states(.job) == [.succeeded, .skipped])
    #expect(world.records(.job).last?.reason == "paused")
    let id = try world.run(.job)
    #expect(world.record(id)?.state == .running)
    #expect(world.ledger.progress[.job]?.isPaused == true, "a pause outlives the daemon")
  }

  @Test func `a constraint that is lost while the process starts stops it`() throws {
    var world = World()
    world.startsProcesses = false
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
    world.startProcess(id, 1)
    #expect(world.signals.map(\.signal) == [.terminate])
  }

  @Test func `a run that lost a constraint waits anew, however old its due is`() throws {
    var world = World()
    var online = Conditions()
    online.hasDefaultRoute = true
    world.start([
      .job {
        $0.constraints.network = true
        $0.constraints.onLost = .stop
        $0.constraints.wait = .seconds(600)
        $0.limits.timeLimit = .seconds(7200)
      }
    ])
    world.post(.conditionsChanged(online))
    let id = try world.run(.job)
    world.advance(by: .seconds(3600))
    world.post(.conditionsChanged(Conditions()))
    world.end(id, .signaled(15))
    world.advance(by: .seconds(599))
    #expect(world.record(id)?.state == .waiting)
    world.advance(by: .seconds(1))
    #expect(world.record(id)?.state == .expired)
  }

  @Test func `a run that is cancelled while its program can't be started is not tried again`() throws {
    var world = World()
    world.startsProcesses = false
    world.start([.job { $0.retry.attempts = 3 }])
    let id = try world.run(.job)
    world.request(.cancel([try #require(world.record(id))]), 2)
    world.post(.spawnFailed(id, attempt: 1, .program("no")))
    #expect(world.record(id)?.state == .cancelled)
  }

  @Test(arguments: [RunState.waiting, .queued, .retrying, .deferred])
  func `cancelling ends any state before starting`(state: RunState) throws {
    var world = World()
    world.start(
      [
        .verified {
          $0.overlap = .queue
          $0.retry.attempts = 2
          $0.constraints.network = state == .waiting
        }
      ], providers: [.work { $0.foreground = .manual }])
    world.publish(state == .deferred ? world.unverifiedSession() : world.freshSession())
    var id = try world.run(.job)
    if state == .retrying { world.exit(id, 1) }
    if state == .queued { id = try world.run(.job) }
    let record = try #require(world.record(id))
    #expect(record.state == state)
    #expect(world.request(.cancel([record]), 9) == .runs([id]))
    #expect(world.record(id)?.state == .cancelled)
    #expect(world.record(id)?.reason == "by-request")
    world.advance(by: .seconds(3600))
    #expect(world.launches.allSatisfy { $0.record.id != id || state == .retrying })
  }
}
