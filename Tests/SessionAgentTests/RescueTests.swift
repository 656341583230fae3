import AuthModel
import Glibc
import Scheduling
import Testing

@testable import SessionAgent

/// A rotated pair that the disk does not take.
@Suite struct RescueTests {
  /// Starts a refresh whose answer arrives when its place is taken, and returns the store's former bytes.
  private func startBlocked(_ world: FlowWorld) throws -> (Child, [UInt8]) {
    try world.plan(#"{"mode":"delay","seconds":60}"#)
    let child = try world.start(["refresh", "work"])
    try waitUntil { try world.spends() > 0 }
    let before = try #require(try world.sessionBytes())
    // Stands in for a disk that takes no write: a folder in the way makes the rename fail.
    unlink(world.file("session"))
    try File.makeFolder(world.file("session"))
    try world.proxy.post("/_release")
    try waitUntil { world.snapshot?.lastAttempt?.detail.contains("can't be stored yet") == true }
    return (child, before)
  }

  private func unblock(_ world: FlowWorld, _ bytes: [UInt8]) throws {
    rmdir(world.file("session"))
    try ReservedFile(replacing: world.file("session"), size: bytes.count, suffix: ".test").commit(bytes)
  }

  private func rescueFile(_ world: FlowWorld) -> String { world.places.rescueFile(world.provider.name) }

  @Test func `told to stop while it can't be stored, it waits in memory for the next process`() throws {
    let world = try FlowWorld()
    try world.begin()
    let first = try world.record()
    let (child, before) = try startBlocked(world)
    #expect(try world.state()?.name == "authenticatedUnverified")
    kill(child.pid, SIGTERM)
    child.closeInput()
    let output = child.readAll()
    #expect(child.wait() == .exited(75), "\(output)")
    #expect(output.contains("kept in memory"))
    var status = stat()
    #expect(stat(rescueFile(world), &status) == 0)
    #expect(status.st_mode & 0o777 == 0o600)

    try unblock(world, before)
    #expect(try world.agent().refresh().status == .success)
    #expect(try world.spends() == 1, "the pair is there: nothing is spent for it again")
    let record = try world.record()
    #expect(record.generation == first.generation + 1)
    #expect(try world.state()?.name == "authenticated")
    #expect(stat(rescueFile(world), &status) != 0)
    // And it is the pair that the server knows.
    #expect(try world.agent().refresh().status == .success)
    #expect(try world.spends() == 2)
  }

  @Test func `it is never spent before it is on disk`() throws {
    let world = try FlowWorld()
    try world.begin()
    let (child, before) = try startBlocked(world)
    kill(child.pid, SIGTERM)
    #expect(child.wait() == .exited(75))
    try unblock(world, before)
    try File.makeFolder(world.file("session.new") + "/taken")
    let report = try world.agent().refresh()
    #expect(report.status == .tryLater)
    #expect(report.message.contains("can't be stored yet"))
    #expect(try world.spends() == 1)
    #expect(world.snapshot?.spend == .open)
    #expect(try world.agent().publish().status == .success)
    #expect(try world.state()?.name == "authenticatedUnverified")
    rmdir(world.file("session.new") + "/taken")
    rmdir(world.file("session.new"))
    #expect(try world.agent().publish().status == .success)
    #expect(try world.state()?.name == "authenticated")
    #expect(try world.spends() == 1)
  }

  @Test func `a disk that takes it in the end leaves no copy behind`() throws {
    let world = try FlowWorld()
    try world.begin()
    let (child, _) = try startBlocked(world)
    rmdir(world.file("session"))
    child.closeInput()
    let output = child.readAll()
    #expect(child.wait() == .exited(0), "\(output)")
    var status = stat()
    #expect(stat(rescueFile(world), &status) != 0)
    #expect(try world.state()?.name == "authenticated")
  }

  @Test func `a copy that is older than the store, or not ours, is nothing`() throws {
    let world = try FlowWorld()
    try world.begin()
    let store = try world.agent().store
    let old = try #require(try world.sessionBytes())
    var record = try world.record()
    record.generation += 1
    try world.put(record)
    #expect(store.rescue(old))
    #expect(store.load().generation == record.generation)
    #expect(try store.adoptRescued() == false)
    #expect(store.rescue(Array("garbage".utf8)))
    #expect(store.load().generation == record.generation)
    #expect(try world.agent().refresh().status == .success)
  }

  @Test func `a store that can't be read is not replaced by a copy`() throws {
    let world = try FlowWorld()
    try world.begin()
    var record = try world.record()
    record.generation += 1
    let store = try world.agent().store
    #expect(store.rescue(try store.seal(StoreEncoding.encode(record))))
    try world.folder.write("state/sessions/work.session", "NLSESSN\u{1}damaged", mode: 0o600)
    let damaged = try world.sessionBytes()
    #expect(try world.agent().publish().status == .configuration)
    #expect(try world.sessionBytes() == damaged)
    #expect(try world.state()?.name == "notReady")
  }
}
