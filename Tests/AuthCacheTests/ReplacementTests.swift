import AuthModel
import Glibc
import Testing

@testable import AuthCache

/// Files that are missing, damaged, replaced or hostile, and long-lived readers that have them mapped.
@Suite struct ReplacementTests {
  let folder = TemporaryFolder()

  @Test func `a reader that was there first finds the file by itself`() throws {
    let reader = AuthCacheReader(folder.file, in: thisBoot)
    #expect(reader.read() == .notReady(.noSnapshot))
    try AuthCacheWriter(folder.file).publish(snapshot(1))
    #expect(reader.read() == .snapshot(snapshot(1)))
  }

  struct Hostile: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var reason: NotReadyReason
    var bytes: @Sendable ([UInt8]) -> [UInt8]
  }

  static let hostileFiles = [
    Hostile(testDescription: "empty", reason: .damagedSnapshot) { _ in [] },
    Hostile(testDescription: "one byte short", reason: .damagedSnapshot) { $0.dropLast() },
    Hostile(testDescription: "all zero", reason: .damagedSnapshot) { $0.map { _ in 0 } },
    Hostile(testDescription: "all ones", reason: .damagedSnapshot) { $0.map { _ in 0xff } },
    Hostile(testDescription: "wrong magic", reason: .damagedSnapshot) { [0x4f] + $0.dropFirst() },
    Hostile(testDescription: "of another version", reason: .unknownVersion) { $0.changed(at: 8, to: [3]) },
    Hostile(testDescription: "nothing published", reason: .noSnapshot) { $0.changed(at: 64, to: [0]) },
    Hostile(testDescription: "the empty slot", reason: .damagedSnapshot) { $0.changed(at: 64, to: [2]) },
    Hostile(testDescription: "another generation in the slot", reason: .damagedSnapshot) {
      $0.changed(at: 64, to: [3])
    },
    Hostile(testDescription: "the last generation", reason: .damagedSnapshot) {
      $0.changed(at: 64, to: [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f])
    },
    Hostile(testDescription: "a generation beyond the last", reason: .damagedSnapshot) {
      $0.changed(at: 71, to: [0x80])
    },
    Hostile(testDescription: "retired, yet still there", reason: .damagedSnapshot) {
      $0.changed(at: 64, to: [UInt8](repeating: 0xff, count: 8))
    },
    Hostile(testDescription: "a damaged slot", reason: .damagedSnapshot) { $0.changed(at: 4500, to: [0x55]) },
    Hostile(testDescription: "a slot of another version", reason: .unknownVersion) { file in
      let slot = Array(file[4160..<4160 + 16] + [9, 9, 9, 9])
      return file.changed(at: 4160, to: sealed(slot, version: 3))
    },
  ]

  @Test(arguments: hostileFiles) func `a hostile file has a reason, and is replaced by the next publication`(
    _ hostile: Hostile
  ) throws {
    try AuthCacheWriter(folder.file).publish(snapshot(1))
    let bytes = hostile.bytes(contents(of: folder.file.path))
    unlink(folder.file.path)
    write(bytes, to: folder.file.path)

    let reader = AuthCacheReader(folder.file, in: thisBoot)
    #expect(reader.read() == .notReady(hostile.reason))
    #expect(reader.read() == .notReady(hostile.reason))
    #expect(reader.authState(at: clocks) == .notReady(hostile.reason))

    let writer = try AuthCacheWriter(folder.file)
    #expect(writer.newest == .notReady(hostile.reason))
    let published = try writer.publish(snapshot(1))
    #expect(published.generation > 0)
    #expect(reader.read() == .snapshot(published))
    #expect(folder.names == ["work"])
  }

  @Test func `what is no file is damage, not a wait`() {
    for make in [
      { (path: String) in mkfifo(path, 0o600) }, { (path: String) in mkdir(path, 0o700) },
      { (path: String) in symlink("/dev/zero", path) },
    ] {
      #expect(make(folder.file.path) == 0)
      #expect(AuthCacheReader(folder.file, in: thisBoot).read() == .notReady(.damagedSnapshot))
      unlink(folder.file.path)
      rmdir(folder.file.path)
    }
  }

  @Test func `a longer file is read like any other`() throws {
    try AuthCacheWriter(folder.file).publish(snapshot(1))
    let longer = contents(of: folder.file.path) + [UInt8](repeating: 1, count: 5000)
    unlink(folder.file.path)
    write(longer, to: folder.file.path)
    #expect(AuthCacheReader(folder.file, in: thisBoot).read() == .snapshot(snapshot(1)))
  }

  @Test func `random files have a reason`() {
    var state: UInt64 = 42
    for _ in 0..<200 {
      let noise = (0..<4096).map { _ -> UInt8 in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return UInt8(truncatingIfNeeded: state >> 56)
      }
      let header = Array(CacheLayout.file(holding: snapshot(1))[..<128])
      write(header + noise[128...], to: folder.file.path)
      #expect(AuthCacheReader(folder.file, in: thisBoot).read() == .notReady(.damagedSnapshot))
      write(noise, to: folder.file.path)
      #expect(AuthCacheReader(folder.file, in: thisBoot).read() == .notReady(.damagedSnapshot))
    }
  }

  /// The reader has decoded a snapshot before its file was damaged: it must not keep it for ever.
  @Test func `a reader of a replaced file notices that it is retired`() throws {
    try AuthCacheWriter(folder.file).publish(snapshot(1))
    let reader = AuthCacheReader(folder.file, in: thisBoot)
    #expect(reader.read() == .snapshot(snapshot(1)))

    let fd = open(folder.file.path, O_WRONLY)
    pwrite(fd, [0x55], 1, 4500)
    close(fd)
    let writer = try AuthCacheWriter(folder.file)
    #expect(writer.newest == .notReady(.damagedSnapshot))
    #expect(reader.read() == .snapshot(snapshot(1)), "what it had decoded is still true")
    #expect(try writer.publish(snapshot(2)).generation == 2, "generations go on in the new file")
    #expect(reader.read() == .snapshot(snapshot(2)))
    try writer.publish(snapshot(3))
    #expect(reader.read() == .snapshot(snapshot(3)))
  }

  @Test func `a removed file is noticed when the reader is told to look`() throws {
    try AuthCacheWriter(folder.file).publish(snapshot(1))
    let reader = AuthCacheReader(folder.file, in: thisBoot)
    #expect(reader.read() == .snapshot(snapshot(1)))
    unlink(folder.file.path)
    #expect(reader.read() == .snapshot(snapshot(1)))
    reader.reopenIfReplaced()
    #expect(reader.read() == .notReady(.noSnapshot))
    try AuthCacheWriter(folder.file).publish(snapshot(1))
    #expect(reader.read() == .snapshot(snapshot(1)))
  }

  @Test func `a writer whose file was removed makes a new one`() throws {
    let writer = try AuthCacheWriter(folder.file)
    try writer.publish(snapshot(1))
    let reader = AuthCacheReader(folder.file, in: thisBoot)
    #expect(reader.read() == .snapshot(snapshot(1)))
    unlink(folder.file.path)
    try writer.publish(snapshot(2))
    #expect(reader.read() == .snapshot(snapshot(2)), "the writer retired the file that only readers had")
    #expect(AuthCacheReader(folder.file, in: thisBoot).read() == .snapshot(snapshot(2)))
  }
}

extension [UInt8] {
  func changed(at offset: Int, to bytes: [UInt8]) -> [UInt8] {
    var changed = self
    changed.replaceSubrange(offset..<offset + bytes.count, with: bytes)
    return changed
  }
}

/// An intact snapshot of another version, made of the header of one of ours: its length and checksum fit.
private func sealed(_ bytes: [UInt8], version: UInt8) -> [UInt8] {
  var sealed = bytes.changed(at: 4, to: [version, 0, 0, 0, UInt8(bytes.count), 0, 0, 0])
  var register: UInt32 = 0xffff_ffff
  for byte in sealed[..<12] + sealed[16...] {
    register ^= UInt32(byte)
    for _ in 0..<8 { register = (register >> 1) ^ (register & 1 == 1 ? 0x82f6_3b78 : 0) }
  }
  for index in 0..<4 { sealed[12 + index] = UInt8(truncatingIfNeeded: ~register >> (8 * index)) }
  return sealed
}
