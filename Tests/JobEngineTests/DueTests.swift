import JobEngine
import Scheduling
import Testing

/// From schedules to dues: anchors, missed dues, clock steps.
@Suite struct DueTests {
  func every(_ seconds: Int64, _ change: (inout JobDefinition) -> Void = { _ in }) -> JobDefinition {
    .job {
      $0.schedule.intervals = [.seconds(seconds)]
      change(&$0)
    }
  }

  func daily(_ expression: String, _ change: (inout JobDefinition) -> Void = { _ in }) throws -> JobDefinition
  {
    let calendar = try CalendarExpression(parsing: expression) { _ in nil }
    return .job {
      $0.schedule.calendars = [.calendar(calendar)]
      change(&$0)
    }
  }

  @Test func `an interval starts at once and does not drift by run time`() {
    var world = World()
    world.start([every(10)])
    world.play(for: .seconds(10_001), eachTaking: .seconds(3))
    let records = world.records(.job)
    #expect(records.count == 1001)
    #expect(records.last.map { $0.dueAt - records[0].dueAt } == .seconds(10_000))
    #expect(records.allSatisfy { $0.state == .succeeded })
  }

  @Test func `a long suspend is one due, not a burst`() {
    var world = World()
    world.start([every(60)])
    world.play(for: .seconds(1))
    world.now = Now(boot: world.now.boot + .seconds(13 * 3600), wall: world.now.wall + .seconds(13 * 3600))
    world.post(.woke)
    #expect(world.launches.count == 2)
    #expect(world.records(.job).last?.covers == 779)
  }

  @Test func `an interval keeps its anchor over a restart and over a reboot`() {
    var world = World()
    world.start([every(3600)])
    world.play(for: .seconds(60))
    var restarted = world.restarted(after: .seconds(600))
    restarted.start([every(3600)])
    restarted.play(for: .seconds(3600 - 660 - 1))
    #expect(restarted.launches.isEmpty)
    restarted.play(for: .seconds(1))
    #expect(restarted.launches.count == 1)

    var rebooted = world.restarted(boot: BootID("b2"), after: .seconds(600))
    rebooted.start([every(3600)])
    rebooted.play(for: .seconds(3600 - 660 - 1))
    #expect(rebooted.launches.isEmpty)
    rebooted.play(for: .seconds(2))
    #expect(rebooted.launches.count == 1)
  }

  @Test func `a calendar due fires at its time and again the next day`() throws {
    var world = World()
    world.start([try daily("*-*-* 13:00")])
    world.play(for: .seconds(86_400))
    #expect(world.records(.job).map(\.dueAt) == [WallTime(seconds: 1_709_298_000)])
    world.play(for: .seconds(86_400))
    #expect(world.records(.job).count == 2)
  }

  @Test func `a new job misses nothing from before it existed`() throws {
    var world = World()
    world.start([try daily("*-*-* 11:59:59")])
    world.play(for: .seconds(3600))
    #expect(world.launches.isEmpty)
  }

  @Test(arguments: [
    (MissedPolicy.once, [RunState.succeeded], 2), (.skip, [.skipped], 2),
    (.all, [.succeeded, .succeeded, .succeeded], 0),
  ])
  func `dues missed while the daemon was down`(policy: MissedPolicy, states: [RunState], covers: Int) throws {
    let job = try daily("*-*-* *:00") { $0.schedule.missed = policy }
    var world = World()
    world.start([job])
    var later = world.restarted(after: .seconds(3 * 3600 + 1800))
    later.start([job])
    later.play(for: .seconds(60))
    #expect(later.states(.job) == states)
    #expect(later.records(.job).map(\.covers).max() == covers)
  }

  @Test func `missed all is bounded by its limit`() throws {
    let job = try daily("*-*-* *:*") {
      $0.schedule.missed = .all
      $0.schedule.missedLimit = 5
    }
    var world = World()
    world.start([job])
    var later = world.restarted(after: .seconds(3600 + 30))
    later.start([job])
    later.play(for: .seconds(29))
    #expect(later.states(.job) == Array(repeating: .succeeded, count: 6), "five missed and one punctual")
    #expect(later.records(.job).map { $0.covers + 1 }.reduce(0, +) == 60, "every due is accounted for")
  }

  @Test func `catch-ups are spread out`() throws {
    let jobs = try (0..<20).map { number in
      var job = try daily("*-*-* 13:00")
      job.id = JobID("j\(number)")
      return job
    }
    var world = World()
    world.start(jobs)
    var later = world.restarted(after: .seconds(86_400))
    later.start(jobs)
    #expect(later.launches.isEmpty)
    later.advance(by: .seconds(30))
    #expect(Set(later.launches.map { $0.record.started }).count == 20)
  }

  @Test func `a wall clock set back runs no due twice, and loses none afterwards`() throws {
    let job = try daily("*-*-* *:00")
    var world = World()
    world.start([job])
    world.play(for: .seconds(3 * 3600 + 60))
    let before = Set(world.records(.job).map(\.due))
    world.step(by: .seconds(-2 * 3600))
    world.play(for: .seconds(3 * 3600))
    let after = world.records(.job).map(\.due)
    #expect(Set(after).count == after.count)
    #expect(Set(after).subtracting(before).count == 1)
    #expect(world.launches.count == after.count)
  }

  @Test func `a wall clock set far forward and back again does not silence a job`() throws {
    let job = try daily("*-*-* *:00")
    var world = World()
    world.start([job])
    world.play(for: .seconds(60))
    world.step(by: .seconds(70 * 365 * 86_400))
    world.play(for: .seconds(60))
    #expect(world.launches.count == 1, "one catch-up")
    world.step(by: .seconds(-70 * 365 * 86_400))
    world.play(for: .seconds(2 * 3600))
    #expect(world.launches.count == 3)
  }

  @Test func `an interval does not notice a clock step`() {
    var world = World()
    world.start([every(600)])
    world.play(for: .seconds(1))
    world.step(by: .seconds(-12 * 3600))
    world.play(for: .seconds(599))
    #expect(world.launches.count == 2)
  }

  @Test func `a randomized delay of most of a day, with a restart every six hours, is one run a day`() throws
  {
    let job = try daily("*-*-* 13:00") { $0.schedule.randomizedDelay = .seconds(72_000) }
    var world = World()
    world.start([job])
    for _ in 0..<40 {
      world.play(for: .seconds(6 * 3600))
      world.restart()
      world.start([job])
    }
    let times = world.records(.job).map(\.dueAt)
    #expect(times.count == 10 || times.count == 9)
    #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 == .seconds(86_400) })
  }

  @Test func `the randomized delay follows from machine, job and bound alone`() throws {
    func due(_ machine: String, _ id: String, _ hours: Int64) throws -> WallTime? {
      var job = try daily("*-*-* 13:00") { $0.schedule.randomizedDelay = .seconds(hours * 3600) }
      job.id = JobID(id)
      var engine = Engine(bootID: BootID("b1"), machineID: machine, now: .testStart)
      _ = engine.handle(.started(Definitions([job]), Recovery(), [:]), at: .testStart)
      return engine.nextWake().wall
    }
    let first = try due("m", "a", 20)
    #expect(try due("m", "a", 20) == first)
    #expect(Set([first, try due("n", "a", 20), try due("m", "b", 20), try due("m", "a", 19)]).count == 4)
    let noon = Now.testStart.wall + .seconds(3600)
    #expect(
      try (0..<100).allSatisfy {
        (try due("m", "j\($0)", 1)).map { (noon..<(noon + .seconds(3600))).contains($0) } == true
      })
  }

  @Test func `after_start is due once per start, after_boot once per boot`() {
    let job = JobDefinition.job {
      $0.schedule.afterStart = [.seconds(5)]
      $0.schedule.afterBoot = [.seconds(660)]
    }
    var world = World()
    world.start([job])
    world.play(for: .seconds(120))
    #expect(world.launches.count == 2)
    var again = world.restarted()
    again.start([job])
    again.play(for: .seconds(120))
    #expect(again.launches.count == 1)
    var reboot = world.restarted(boot: BootID("b2"))
    reboot.start([job])
    reboot.play(for: .seconds(700))
    #expect(reboot.launches.count == 2)
  }

  @Test func `no wake-up is asked for between dues`() {
    var world = World()
    world.start([every(600)])
    world.play(for: .seconds(1))
    #expect(world.nextWake() == Now.testStart.boot + .seconds(600), "the finished run's limits are forgotten")
  }

  @Test func `a clock that starts behind makes no due out of the past`() throws {
    let job = try daily("*-*-* 13:00") {
      $0.schedule.missed = .all
      $0.overlap = .queue
    }
    var world = World()
    world.start([job])
    world.play(for: .seconds(2 * 3600))
    #expect(world.records(.job).count == 1)
    world.restart(boot: BootID("b2"))
    world.now.wall = WallTime(seconds: 0)
    world.engine = Engine(bootID: world.bootID, machineID: "m", now: world.now)
    world.start([job])
    world.play(for: .seconds(10))
    world.step(by: .seconds(1_709_294_400 + 3 * 86_400))
    world.play(for: .seconds(60))
    #expect(world.records(.job).count == 3, "the one that was run and the two that were missed")
  }

  @Test func `a zone that is changed makes no due out of the past`() throws {
    let job = try daily("*-*-* 13:10")
    var world = World()
    world.start([job])
    world.play(for: .seconds(1800))
    var changed = job
    changed.schedule.zone = try .oneHourEast
    world.post(.reloaded(Definitions([changed])))
    world.play(for: .seconds(60))
    #expect(world.records(.job).isEmpty)
    world.play(for: .seconds(86_400))
    #expect(world.records(.job).map(\.dueAt) == [WallTime(seconds: 1_709_295_000 + 86_400)])
  }

  @Test func `no due is made while the ledger can't be written, and one stands for all afterwards`() {
    var world = World()
    world.start([every(60)])
    world.play(for: .seconds(1))
    world.post(.storeStalled(true))
    world.play(for: .seconds(3600))
    #expect(world.launches.count == 1)
    #expect(world.ledger.runs.count == 1)
    world.post(.storeStalled(false))
    #expect(world.launches.count == 2)
    #expect(world.records(.job).last?.covers == 59)
  }
}
