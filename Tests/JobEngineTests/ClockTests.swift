import JobEngine
import Scheduling
import Testing

/// What steps of the wall clock, suspend and downtime do to schedules.
@Suite struct ClockTests {
  func job(_ id: String, _ expression: String) throws -> JobDefinition {
    let calendar = try CalendarExpression(parsing: expression) { _ in nil }
    return .job(JobID(id)) { $0.schedule.calendars = [.calendar(calendar)] }
  }

  var beat: JobDefinition { .job(JobID("beat")) { $0.schedule.intervals = [.seconds(600)] } }

  /// Each is where the wall clock is set, one after the other, with three hours in between.
  static let steps: [(name: String, to: [@Sendable (WallTime) -> WallTime])] = [
    ("an hour forward", [{ $0 + .seconds(3600) }]),
    ("an hour back", [{ $0 - .seconds(3600) }]),
    ("half a day back", [{ $0 - .seconds(43_200) }]),
    ("an hour forward and back", [{ $0 + .seconds(3600) }, { $0 - .seconds(3600) }]),
    ("half a day back and forward", [{ $0 - .seconds(43_200) }, { $0 + .seconds(43_200) }]),
    ("to 1970", [{ _ in WallTime(seconds: 0) }]),
    ("to 1970 and back", [{ _ in WallTime(seconds: 0) }, { _ in WallTime(seconds: 1_709_320_000) }]),
    ("to 2098", [{ _ in WallTime(seconds: 4_039_430_400) }]),
    (
      "to 2098 and back",
      [{ _ in WallTime(seconds: 4_039_430_400) }, { _ in WallTime(seconds: 1_709_320_000) }]
    ),
  ]

  @Test(arguments: steps.indices)
  func `a step makes no due twice, none late by more than the step, and intervals don't notice`(
    index: Int
  ) throws {
    let jobs = [try job("hourly", "*:00"), beat]
    var world = World()
    world.start(jobs)
    let span = Duration.seconds(3 * 3600 + 60)
    world.play(for: span)
    var back = Duration.zero
    for step in Self.steps[index].to {
      let from = world.now.wall
      world.step(by: step(from) - from)
      back = min(span, max(back, from - world.now.wall))
      world.play(for: span)
    }
    world.play(for: .seconds(12 * 3600))
    let dues = world.launches.filter { $0.record.job == JobID("hourly") }
    #expect(Set(dues.map(\.record.due)).count == dues.count)
    let starts = dues.compactMap { $0.record.started?.boot }
    // What the clock shows again has been run already: silent for as long as that lasts, and an hour.
    let silences = zip(starts, starts.dropFirst() + [world.now.boot]).map { $1 - $0 }
    let longest = back + .seconds(3600) + .seconds(30)
    #expect(silences.allSatisfy { $0 <= longest }, "\(silences)")
    let beats = world.launches.filter { $0.record.job == beat.id }.compactMap { $0.record.started?.boot }
    let lived = world.now.boot - Now.testStart.boot
    let expected = (0...(lived.wholeMicroseconds / 600_000_000)).map {
      Now.testStart.boot + .seconds($0 * 600)
    }
    #expect(beats == expected)
  }

  @Test func `after a step the anchor of an interval outlives a reboot`() {
    var world = World()
    world.start([beat])
    world.play(for: .seconds(60))
    world.step(by: .seconds(70 * 365 * 86_400))
    world.restart(boot: BootID("b2"), after: .seconds(60))
    world.start([beat])
    world.play(for: .seconds(479))
    #expect(world.launches.isEmpty)
    world.play(for: .seconds(1))
    #expect(world.launches.map(\.record.covers) == [0])
  }

  @Test(arguments: [-70 * 365 * 86_400, -3600, 3600])
  func `a wall clock that is set after a boot does not move the dues of an interval`(seconds: Int64) {
    var world = World()
    world.start([beat])
    world.play(for: .seconds(60))
    world.restart(boot: BootID("b2"), after: .seconds(60))
    world.start([beat])
    let boot = world.now.boot
    world.step(by: .seconds(seconds))
    world.play(for: .seconds(1800))
    #expect(
      world.launches.compactMap { $0.record.started?.boot } == [480, 1080, 1680].map { boot + .seconds($0) })
    #expect(world.launches.allSatisfy { $0.record.covers == 0 && $0.record.dueAt == $0.record.started?.wall })
  }

  @Test func `a minutely job after three hours of downtime is one catch-up, then as usual`() throws {
    let minutely = try job("job", "*:*")
    var world = World()
    world.start([minutely])
    world.play(for: .seconds(30))
    world.restart(after: .seconds(3 * 3600))
    world.start([minutely])
    world.play(for: .seconds(29))
    #expect(world.launches.map(\.record.covers) == [179])
    world.play(for: .seconds(300))
    #expect(world.launches.dropFirst().map(\.record.covers) == [0, 0, 0, 0, 0])
  }

  @Test func `a yearly job is due each year, and wakes nobody in between`() throws {
    var world = World()
    world.start([try job("job", "yearly")])
    for year in 2025..<2030 {
      let due = try #require(WallTime(rfc3339: "\(year)-01-01T00:00:00Z"))
      #expect(world.engine.nextWake() == (nil, due))
      world.play(for: due - world.now.wall)
      #expect(world.launches.last?.record.dueAt == due)
    }
    #expect(world.launches.count == 5)
  }

  @Test func `a zone that changes moves wall-clock dues, not intervals`() throws {
    var noon = try job("noon", "13:30")
    var world = World()
    world.start([noon, beat])
    world.play(for: .seconds(300))
    noon.schedule.zone = try .oneHourEast
    var moved = beat
    moved.schedule.zone = try .oneHourEast
    world.post(.reloaded(Definitions([noon, moved])))
    world.play(for: .seconds(3600))
    let due = Now.testStart.wall + .seconds(1800)
    #expect(world.launches.filter { $0.record.job == noon.id }.map(\.record.dueAt) == [due])
    let beats = world.launches.filter { $0.record.job == beat.id }.compactMap { $0.record.started?.boot }
    #expect(beats == (0...6).map { Now.testStart.boot + .seconds($0 * 600) })
  }
}
