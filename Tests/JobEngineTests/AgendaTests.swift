import Scheduling
import Testing

@testable import JobEngine

@Suite struct AgendaTests {
  @Test func `deadlines of runs that have ended do not pile up`() throws {
    var world = World()
    world.start([.job { $0.limits.timeLimit = .seconds(86_400) }])
    for _ in 0..<3000 {
      world.exit(try world.run(.job))
      _ = world.nextWake()
    }
    #expect(world.engine.deadlines.count < 1100)
  }
}
