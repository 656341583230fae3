import JobEngine
import Scheduling
import Testing

/// `clock_trust`: calendar dues wait for a wall clock that can be believed.
@Suite struct ClockTrustTests {
  let trueTime = Now.testStart.wall

  func hourly(_ id: JobID = .job) throws -> JobDefinition {
    let calendar = try CalendarExpression(parsing: "*:00") { _ in nil }
    return .job(id) { $0.schedule.calendars = [.calendar(calendar)] }
  }

  var beat: JobDefinition { .job(JobID("beat")) { $0.schedule.intervals = [.seconds(600)] } }

  func definitions(_ jobs: [JobDefinition], _ trust: ClockTrust) -> Definitions {
    var definitions = Definitions(jobs)
    definitions.settings.clockTrust = trust
    return definitions
  }

  /// A machine that has run its hourly job for a while and then went down.
  func known(_ jobs: [JobDefinition]) -> World {
    var world = World()
    world.start(jobs)
    world.play(for: .seconds(2 * 3600 + 60))
    return world
  }

  func boot(
    _ world: inout World, _ jobs: [JobDefinition], at wall: WallTime, _ trust: ClockTrust = .floor
  ) {
    world.restart(boot: BootID("b2"))
    world.now.wall = wall
    world.engine = Engine(bootID: world.bootID, machineID: "m", now: world.now)
    world.post(.started(definitions(jobs, trust), world.ledger.recovery(), [:]))
  }

  func synchronize(_ world: inout World, _ isSynchronized: Bool = true) {
    var conditions = Conditions()
    conditions.isClockSynchronized = isSynchronized
    world.post(.conditionsChanged(conditions))
  }

  func step(_ world: inout World, to wall: WallTime) { world.step(by: wall - world.now.wall) }

  var year2098: WallTime { WallTime(seconds: 4_039_430_400) }

  @Test func `a machine that boots in 1970 makes calendar dues from the last real one once the clock is set`()
    throws
  {
    let jobs = [try hourly(), beat]
    var world = known(jobs)
    let before = world.records(.job)
    boot(&world, jobs, at: WallTime(seconds: 60))
    world.play(for: .seconds(2 * 3600))
    #expect(world.records(.job) == before, "no due of 1970")
    #expect(world.launches.count == 12, "the interval does not wait")
    #expect(
      world.reports.clock == [
        .clockDoubted(.behind(newest: trueTime + .seconds(7200)), at: WallTime(seconds: 60))
      ])
    #expect(world.engine.view(of: .job)?.waitsForClock == true)
    #expect(world.engine.view(of: .job)?.nextDue == nil)
    #expect(world.engine.view(of: beat.id)?.waitsForClock == false)

    step(&world, to: trueTime + .seconds(86_400 + 300))
    #expect(world.reports.clock.last == .clockBelieved)
    world.play(for: .seconds(120))
    let caughtUp = world.records(.job).dropFirst(before.count)
    #expect(caughtUp.map(\.dueAt) == [trueTime + .seconds(86_400)])
    #expect(caughtUp.map(\.covers) == [21])
    world.play(for: .seconds(3600))
    #expect(world.records(.job).last?.dueAt == trueTime + .seconds(86_400 + 3600))
  }

  @Test func `a clock that is a little behind is believed when it has passed the newest due`() throws {
    let jobs = [try hourly()]
    var world = known(jobs)
    boot(&world, jobs, at: trueTime + .seconds(7000))
    #expect(world.engine.nextWake().wall == trueTime + .seconds(7200), "no other wake-up than that")
    world.play(for: .seconds(200))
    #expect(world.reports.clock.last == .clockBelieved)
    #expect(world.launches.isEmpty)
    world.play(for: .seconds(3600))
    #expect(world.launches.map(\.record.dueAt) == [trueTime + .seconds(10_800)])
  }

  @Test func `a step that does not reach the newest due changes nothing`() throws {
    let jobs = [try hourly()]
    var world = known(jobs)
    boot(&world, jobs, at: WallTime(seconds: 0))
    step(&world, to: trueTime - .seconds(30 * 86_400))
    world.play(for: .seconds(86_400))
    #expect(world.launches.isEmpty)
    #expect(world.reports.clock.count == 1, "told once")
  }

  @Test func `synchronized waits for a source of time, and goes on when that goes away again`() throws {
    let jobs = [try hourly()]
    var world = known(jobs)
    boot(&world, jobs, at: trueTime + .seconds(7300), .synchronized)
    world.play(for: .seconds(7200))
    #expect(world.launches.isEmpty)
    #expect(world.reports.clock.map(\.doubt) == [.unsynchronized])
    synchronize(&world)
    world.play(for: .seconds(60))
    #expect(world.launches.count == 1)
    synchronize(&world, false)
    world.play(for: .seconds(7200))
    #expect(world.launches.count == 3)
    #expect(world.reports.clock.count == 2)
  }

  @Test func `none believes the clock as it is`() throws {
    let jobs = [try hourly()]
    var world = known(jobs)
    boot(&world, jobs, at: WallTime(seconds: 0), .none)
    world.play(for: .seconds(3700))
    #expect(world.launches.map(\.record.dueAt) == [WallTime(seconds: 3600)])
    #expect(world.reports.clock.isEmpty)
  }

  @Test func `a job, and a calendar, that is new under a doubted clock has no past`() throws {
    var old = try hourly()
    var world = known([old])
    boot(&world, [old, try hourly(JobID("new"))], at: WallTime(seconds: 0))
    old.schedule.daylightSaving = .systemd
    var later = try hourly(JobID("later"))
    later.schedule.missed = .all
    world.post(.reloaded(definitions([old, try hourly(JobID("new")), later], .floor)))
    step(&world, to: trueTime + .seconds(5 * 86_400 + 60))
    world.play(for: .seconds(600))
    #expect(world.launches.isEmpty)
    world.play(for: .seconds(3600))
    #expect(Set(world.launches.map(\.record.job)) == [.job, JobID("new"), JobID("later")])
    #expect(world.launches.allSatisfy { $0.record.covers == 0 })
  }

  // MARK: - A ledger from the future

  /// A machine that was in 2098 for a while and was switched off there.
  func fromTheFuture(_ jobs: [JobDefinition]) -> World {
    var world = known(jobs)
    step(&world, to: year2098)
    world.play(for: .seconds(4000))
    return world
  }

  @Test func `a source of time overrules a ledger from 2098, and mends it`() throws {
    let jobs = [try hourly(), beat]
    var world = fromTheFuture(jobs)
    boot(&world, jobs, at: trueTime + .seconds(86_400))
    world.play(for: .seconds(3700))
    #expect(world.records(.job).allSatisfy { $0.dueAt != trueTime + .seconds(90_000) })
    synchronize(&world)
    world.play(for: .seconds(3700))
    #expect(world.records(.job).contains { $0.dueAt == trueTime + .seconds(93_600) })
    boot(&world, jobs, at: world.now.wall)
    #expect(world.reports.clock.isEmpty)
  }

  @Test func `without a source of time a reload with none is the way out, and mends the ledger`() throws {
    let jobs = [try hourly(), beat]
    var world = fromTheFuture(jobs)
    boot(&world, jobs, at: trueTime + .seconds(86_400))
    guard case .behind(let newest) = world.engine.clockDoubt else { throw Unexpected() }
    #expect(newest >= year2098)
    world.post(.reloaded(definitions(jobs, .none)))
    world.play(for: .seconds(3700))
    #expect(world.records(.job).contains { $0.dueAt == trueTime + .seconds(90_000) })
    world.post(.reloaded(definitions(jobs, .floor)))
    #expect(world.engine.clockDoubt == nil)
    boot(&world, jobs, at: world.now.wall)
    #expect(world.engine.clockDoubt == nil)
  }

  struct Unexpected: Error {}

  @Test func `a clock that is set back from 2098 under the running daemon is believed, also by the next one`()
    throws
  {
    let jobs = [try hourly(), beat]
    // The other job's file is taken away while the clock is wrong: what is noted of it counts as well.
    var world = fromTheFuture(jobs + [try hourly(JobID("retired"))])
    world.post(.reloaded(definitions(jobs, .floor)))
    step(&world, to: trueTime + .seconds(86_400))
    world.play(for: .seconds(3700))
    #expect(world.reports.clock.isEmpty)
    #expect(world.records(.job).contains { $0.dueAt == trueTime + .seconds(90_000) })
    boot(&world, jobs, at: world.now.wall)
    #expect(world.reports.clock.isEmpty)
    world.play(for: .seconds(3600))
    #expect(world.launches.contains { $0.record.job == .job })
  }

  @Test func `a stricter clock_trust begins with the reload`() throws {
    let jobs = [try hourly()]
    var world = known(jobs)
    world.post(.reloaded(definitions(jobs, .synchronized)))
    let count = world.launches.count
    world.play(for: .seconds(7200))
    #expect(world.launches.count == count)
    #expect(world.engine.nextWake() == (nil, nil))
    synchronize(&world)
    world.play(for: .seconds(60))
    #expect(world.launches.count == count + 1)
  }
}

extension [Report] {
  /// What was told of the trust in the clock.
  fileprivate var clock: [Report] { filter { $0 == .clockBelieved || $0.doubt != nil } }
}

extension Report {
  fileprivate var doubt: ClockDoubt? {
    if case .clockDoubted(let doubt, _) = self { doubt } else { nil }
  }
}
