import JobEngine
import Scheduling
import Testing

@Suite struct OverlapTests {
  func world(_ overlap: JobDefinition.OverlapPolicy) throws -> (World, RunID, RunID) {
    var world = World()
    world.start([.job { $0.overlap = overlap }])
    let first = try world.run(.job)
    let second = try world.run(.job)
    return (world, first, second)
  }

  @Test func `skip gives the later due a verdict`() throws {
    let (world, _, second) = try world(.skip)
    #expect(world.record(second)?.state == .skipped)
    #expect(world.record(second)?.reason == "overlap")
  }

  @Test func `queue starts the later due when the earlier run has ended`() throws {
    var (world, first, second) = try world(.queue)
    #expect(world.record(second)?.state == .queued)
    world.exit(first)
    #expect(world.record(second)?.state == .running)
  }

  @Test func `queue is bounded`() throws {
    var (world, _, _) = try world(.queue)
    var last: RunID?
    for _ in 0..<20 { last = try world.run(.job) }
    #expect(world.record(try #require(last))?.state == .skipped)
  }

  @Test func `replace stops the earlier run and starts the later one after it`() throws {
    var (world, first, second) = try world(.replace)
    #expect(world.signals == [World.SentSignal(run: first, signal: .terminate)])
    #expect(world.record(second)?.state == .queued)
    world.end(first, .signaled(15))
    #expect(world.record(first)?.state == .cancelled)
    #expect(world.record(first)?.reason == "replaced")
    #expect(world.record(second)?.state == .running)
  }

  @Test func `replace leaves only the latest of several`() throws {
    var (world, first, second) = try world(.replace)
    let third = try world.run(.job)
    #expect(world.record(second)?.state == .cancelled)
    world.end(first, .signaled(15))
    #expect(world.record(third)?.state == .running)
  }

  @Test func `allow lets both run`() throws {
    let (world, first, second) = try world(.allow)
    #expect(world.record(first)?.state == .running)
    #expect(world.record(second)?.state == .running)
  }

  @Test func `a due that finds an earlier one waiting is merged into it`() throws {
    var world = World()
    world.start([.job { $0.constraints.network = true }])
    _ = try world.run(.job)
    let second = try world.run(.job)
    #expect(world.record(second)?.state == .coalesced)
    #expect(world.record(second)?.reason == "earlier-due")
  }
}
