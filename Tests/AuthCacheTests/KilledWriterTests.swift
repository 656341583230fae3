import AuthModel
import Glibc
import Testing

@testable import AuthCache

/// A writer killed at any moment leaves the previous snapshot or the new one, whole.
@Suite struct KilledWriterTests {
  let folder = TemporaryFolder()

  @Test func `a slot filled up to any word is invisible`() throws {
    try AuthCacheWriter(folder.file).publish(snapshot(1))
    let mapping = try CacheMapping(path: folder.file.path, access: .readWrite)
    let reader = AuthCacheReader(folder.file, in: thisBoot)
    let slot = CacheLayout.slot(holding: snapshot(2))
    for count in stride(from: 0, through: slot.count, by: 8) {
      mapping.fill(slotOf: 2, with: Array(slot[..<count]))
      #expect(reader.read() == .snapshot(snapshot(1)))
      if count % 64 == 0 {
        #expect(AuthCacheReader(folder.file, in: thisBoot).read() == .snapshot(snapshot(1)))
      }
    }
    mapping.store(generation: 2)
    #expect(reader.read() == .snapshot(snapshot(2)))
  }

  /// Where a writer process is killed, in words of the slot: after the last of 248 nothing but the store is missing.
  @Test(arguments: [0, 1, 100, 247, 248])
  func `a process killed in the middle of a slot leaves the old snapshot, and the next one goes on`(
    _ words: Int
  ) async throws {
    let path = folder.file.path
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, words] in
      let file = AuthCacheFile(path: path)
      let writer = try AuthCacheWriter(file)
      try writer.publish(snapshot(1))
      try writer.publish(snapshot(2))
      let mapping = try CacheMapping(path: path, access: .readWrite)
      mapping.fill(slotOf: 3, with: Array(CacheLayout.slot(holding: snapshot(3))[..<(words * 8)]))
      kill(getpid(), SIGKILL)
    }
    let reader = AuthCacheReader(folder.file, in: thisBoot)
    #expect(reader.read() == .snapshot(snapshot(2)))
    let writer = try AuthCacheWriter(folder.file)
    #expect(writer.newest == .snapshot(snapshot(2)))
    try writer.publish(snapshot(3))
    #expect(reader.read() == .snapshot(snapshot(3)))
  }

  /// The kernel kills the process by a timer, at whatever instruction it has reached.
  @Test(arguments: 1...8)
  func `a process killed at any moment leaves a whole snapshot`(_ round: Int) async throws {
    try AuthCacheWriter(folder.file).publish(snapshot(1))
    let reader = AuthCacheReader(folder.file, in: thisBoot)
    let path = folder.file.path
    await #expect(processExitsWith: .signal(SIGALRM)) { [path = path as String, round] in
      let writer = try AuthCacheWriter(AuthCacheFile(path: path))
      try writer.publish(snapshot(2))
      var timer = itimerval()
      timer.it_value.tv_usec = 100 + round * 637
      setitimer(__itimer_which_t(ITIMER_REAL.rawValue), &timer, nil)
      var number: UInt64 = 2
      while true {
        number += 1
        try writer.publish(snapshot(number))
      }
    }
    let last = try #require(reader.read().snapshot)
    #expect(last == snapshot(last.generation))
    #expect(last.generation > 1)
    #expect(AuthCacheReader(folder.file, in: thisBoot).read() == .snapshot(last))
    #expect(try AuthCacheWriter(folder.file).publish(snapshot(0)).generation == last.generation + 1)
  }
}
