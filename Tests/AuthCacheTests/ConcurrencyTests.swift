import AuthModel
import Glibc
import Scheduling
import Testing

@testable import AuthCache

/// A writer that publishes as fast as it can for as long as anybody reads, and readers that check every
/// snapshot they see.
@Suite struct ConcurrencyTests {
  let folder = TemporaryFolder()

  @Test func `readers in other threads never see a torn snapshot`() async throws {
    let file = folder.file
    try AuthCacheWriter(file).publish(snapshot(1))
    let writing = Task.detached {
      let writer = try AuthCacheWriter(file)
      var number: UInt64 = 1
      while !Task.isCancelled {
        number += 1
        try writer.publish(snapshot(number))
        await Task.yield()
      }
    }
    defer { writing.cancel() }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<2 { group.addTask { try await follow(file) } }
      try await group.waitForAll()
    }
    writing.cancel()
    try await writing.value
  }

  @Test func `a reader of another process's publications never sees a torn snapshot`() async throws {
    let file = folder.file
    try AuthCacheWriter(file).publish(snapshot(1))
    let reading = Task.detached {
      defer { write([], to: file.path + ".read") }
      try await follow(file)
    }
    await #expect(processExitsWith: .success) { [path = file.path as String] in
      let writer = try AuthCacheWriter(AuthCacheFile(path: path))
      var number: UInt64 = 1
      while access(path + ".read", F_OK) != 0 {
        number += 1
        try writer.publish(snapshot(number))
      }
    }
    try await reading.value
  }
}

/// Reads until it has seen 400 different snapshots, each whole and none twice.
private func follow(_ file: AuthCacheFile) async throws {
  let reader = AuthCacheReader(file, in: thisBoot)
  var newest: UInt64 = 0
  var sightings = 0
  while sightings < 400 {
    let seen = try #require(reader.read().snapshot)
    if seen.generation == newest {
      await Task.yield()
      continue
    }
    try #require(seen.generation > newest, "generations go up")
    try #require(seen == snapshot(seen.generation), "every field is of one publication")
    newest = seen.generation
    sightings += 1
  }
}
