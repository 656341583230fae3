import Scheduling
import SeededRandom
import Testing

@testable import AuthModel

/// Bytes that no encoder wrote: a clear reason, never a trap, never a snapshot that nobody published.
@Suite struct HostileSnapshotTests {
  static let bytes = SnapshotEncoding.encode(SnapshotEncodingTests.full)

  /// `bytes` after `change`, with a right checksum again: damage that only the fields can betray.
  static func resealed(_ bytes: [UInt8] = bytes, _ change: (inout [UInt8]) -> Void) -> [UInt8] {
    var changed = bytes
    change(&changed)
    var crc = CRC32C()
    crc.update(changed[..<12])
    crc.update(changed[16...])
    for index in 0..<4 { changed[12 + index] = UInt8(truncatingIfNeeded: crc.value >> (8 * index)) }
    return changed
  }

  @Test func `every byte counts`() {
    for index in Self.bytes.indices {
      for mask in [1 << (index % 8), 0xff] as [UInt8] {
        var damaged = Self.bytes
        damaged[index] ^= mask
        #expect(SnapshotEncoding.decode(damaged) == .notReady(.damagedSnapshot), "byte \(index) ^ \(mask)")
      }
    }
  }

  @Test func `every truncation is damage`() {
    for count in 0..<Self.bytes.count {
      let prefix = Array(Self.bytes[..<count])
      #expect(SnapshotEncoding.decode(prefix) == .notReady(.damagedSnapshot), "\(count) bytes")
    }
  }

  /// What a killed writer leaves in a slot: the new snapshot up to a point, an older one behind it.
  @Test func `every mixture of two snapshots is damage`() {
    var older = SnapshotEncodingTests.full
    older.generation = 5
    older.session = .present(.sample(tokenGeneration: 2, lifetime: nil))
    let olderBytes = SnapshotEncoding.encode(older)
    for count in 0...Self.bytes.count {
      let mixture = Array(Self.bytes[..<count] + olderBytes[count...])
      let reading = SnapshotEncoding.decode(mixture)
      switch mixture {
      case Self.bytes: #expect(reading == .snapshot(SnapshotEncodingTests.full))
      case olderBytes: #expect(reading == .snapshot(older))
      default: #expect(reading == .notReady(.damagedSnapshot), "\(count) bytes of the new one")
      }
    }
  }

  @Test(arguments: [0, 1, 255, UInt8.max]) func `an intact snapshot of another version is told apart`(
    _ low: UInt8
  ) {
    let other = Self.resealed { $0[4] = low }
    #expect(SnapshotEncoding.decode(other) == .notReady(.unknownVersion))
    var damaged = other
    damaged[1000] ^= 1
    #expect(SnapshotEncoding.decode(damaged) == .notReady(.damagedSnapshot))
  }

  @Test func `another version may have another length`() {
    let short = Self.resealed(Array(Self.bytes[..<100])) {
      $0.replaceSubrange(4..<12, with: [9, 0, 0, 0, 100, 0, 0, 0])
    }
    #expect(SnapshotEncoding.decode(short + [0, 0, 0]) == .notReady(.unknownVersion))
  }

  struct Forgery: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var offset: Int
    var bytes: [UInt8]
  }

  static let forgeries = [
    Forgery(testDescription: "no such kind of session", offset: 24, bytes: [3]),
    Forgery(testDescription: "absent, with a user", offset: 24, bytes: [0]),
    Forgery(testDescription: "unreadable, with a user", offset: 24, bytes: [2]),
    Forgery(testDescription: "absent, no such reason", offset: 24, bytes: [0, 9]),
    Forgery(testDescription: "present, with a reason to be absent", offset: 25, bytes: [1]),
    Forgery(testDescription: "no such spend", offset: 26, bytes: [3]),
    Forgery(testDescription: "fields without their flags", offset: 27, bytes: [0]),
    Forgery(testDescription: "no such outcome, of no attempt", offset: 27, bytes: [0xfe, 0xff]),
    Forgery(testDescription: "padding is not zero", offset: 31, bytes: [1]),
    Forgery(
      testDescription: "a lifetime beyond all durations", offset: 80,
      bytes: [UInt8](repeating: 0x7f, count: 8)),
    Forgery(testDescription: "the least of all lifetimes", offset: 87, bytes: [0x80]),
    Forgery(testDescription: "boot id longer than its field", offset: 120, bytes: [39, 0]),
    Forgery(testDescription: "user id longer than its field", offset: 280, bytes: [0xff, 1]),
    Forgery(testDescription: "user id as long as can be", offset: 280, bytes: [0xff, 0xff]),
    Forgery(testDescription: "user id is not UTF-8", offset: 282, bytes: [0xff]),
    Forgery(testDescription: "user id has an overlong NUL", offset: 282, bytes: [0xc0, 0x80]),
    Forgery(testDescription: "user id has a surrogate", offset: 282, bytes: [0xed, 0xa0, 0x80]),
    Forgery(testDescription: "user id goes on after its end", offset: 400, bytes: [0x78]),
    Forgery(testDescription: "detail cut within a scalar", offset: 1048, bytes: [34, 0]),
    Forgery(testDescription: "detail longer than its field", offset: 1048, bytes: [0xff, 0xff]),
    Forgery(testDescription: "length beyond the bytes", offset: 8, bytes: [0xff, 0xff, 0xff, 0xff]),
    Forgery(testDescription: "length shorter than the header", offset: 8, bytes: [15, 0, 0, 0]),
    Forgery(testDescription: "wrong magic", offset: 0, bytes: [0]),
  ]

  @Test(arguments: forgeries) func `a right checksum does not make a snapshot`(_ forgery: Forgery) {
    let forged = Self.resealed { bytes in
      bytes.replaceSubrange(forgery.offset..<forgery.offset + forgery.bytes.count, with: forgery.bytes)
    }
    #expect(forged != Self.bytes)
    #expect(SnapshotEncoding.decode(forged) == .notReady(.damagedSnapshot))
  }

  @Test(arguments: [UInt8(AttemptClass.allCases.count), 0xff])
  func `an attempt of an outcome that a newer writer knows is left out`(_ outcome: UInt8) {
    var expected = SnapshotEncodingTests.full
    #expect(expected.lastAttempt?.retryAfter != nil)
    expected.lastAttempt = nil
    #expect(SnapshotEncoding.decode(Self.resealed { $0[28] = outcome }) == .snapshot(expected))
    // Nothing but the attempt is forgiven.
    let forged = Self.resealed { ($0[28], $0[31]) = (outcome, 1) }
    #expect(SnapshotEncoding.decode(forged) == .notReady(.damagedSnapshot))
  }

  @Test func `random bytes are damage`() {
    var random = SplitMix(state: 2026)
    for _ in 0..<500 {
      let count = Int.random(in: 0...2_000, using: &random)
      let noise = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
      #expect(SnapshotEncoding.decode(noise) == .notReady(.damagedSnapshot))
    }
  }

  /// Whatever is accepted is exactly what an encoder would have written, and computing with it is safe.
  @Test(arguments: 1...4) func `what random changes leave acceptable is canonical`(_ seed: UInt64) {
    var random = SplitMix(state: seed)
    var accepted = 0
    for _ in 0..<500 {
      let changed = Self.resealed { bytes in
        for _ in 0..<Int.random(in: 1...4, using: &random) {
          bytes[Int.random(in: 16..<300, using: &random)] = UInt8.random(in: 0...255, using: &random)
        }
      }
      guard let snapshot = SnapshotEncoding.decode(changed).snapshot else { continue }
      accepted += 1
      if AttemptClass(rawValue: changed[28]) != nil {
        #expect(SnapshotEncoding.encode(snapshot) == changed)
      } else {
        #expect(snapshot.lastAttempt == nil)
      }
      let clock = Int64(truncatingIfNeeded: random.next())
      let clocks = Now(boot: Instant(microseconds: clock), wall: WallTime(microseconds: ~clock))
      #expect(
        snapshot.authState(at: clocks, in: thisBoot).user
          == snapshot.authState(at: clocks, in: earlierBoot).user)
    }
    #expect(accepted > 0)
  }
}
