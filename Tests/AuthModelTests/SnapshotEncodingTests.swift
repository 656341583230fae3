import Scheduling
import Testing

@testable import AuthModel

@Suite struct SnapshotEncodingTests {
  /// Every case of every enum, every optional there and not there.
  static let snapshots: [Snapshot] = {
    var sessions: [Snapshot.Session] = [.unreadable]
    sessions += UnauthenticatedReason.allCases.map { .absent($0) }
    for lifetime in [nil, Duration.zero, .seconds(3600), .microseconds(-1)] {
      for verifiedIn in [nil, thisBoot] {
        sessions.append(
          .present(.sample(lifetime: lifetime, skew: .milliseconds(-1500), verifiedIn: verifiedIn)))
      }
    }
    sessions.append(.present(.sample(tokenGeneration: 0)))
    for lifetime in [Duration.zero, .seconds(2_592_000), .seconds(Int64(UInt32.max))] {
      sessions.append(.present(.sample(refreshLifetime: lifetime)))
    }
    for user in [
      User(id: ""), User(id: "", name: ""), User(id: "did:privy:ü🧵", name: "e\u{301}\u{0}x"), wallets,
    ] {
      var present = Snapshot.Present.sample(tokenGeneration: .max)
      present.user = user
      sessions.append(.present(present))
    }
    var attempts: [Snapshot.Attempt?] = [nil, .sample(.transient, retryAfter: nil)]
    attempts += AttemptClass.allCases.map { .sample($0) }
    return sessions.flatMap { session in
      attempts.flatMap { attempt in
        Snapshot.Spend.allCases.map { .sample(session, attempt: attempt, spend: $0) }
      }
    }
  }()

  static let wallets = User(
    id: "did:privy:a",
    linkedAccounts: [
      LinkedAccount(kind: "wallet", identifier: "0x1"), LinkedAccount(kind: "", identifier: ""),
    ])

  /// A snapshot that uses every field.
  static let full = Snapshot.sample(
    .present(.sample(refreshLifetime: .seconds(30 * 86_400))), attempt: .sample(.ambiguous), spend: .ambiguous
  )

  @Test func `every snapshot comes back as it went`() {
    for snapshot in Self.snapshots {
      let bytes = SnapshotEncoding.encode(snapshot)
      #expect(bytes.count == SnapshotEncoding.byteCount)
      #expect(SnapshotEncoding.decode(bytes) == .snapshot(snapshot))
    }
  }

  @Test func `the ends of every number come back`() {
    for number in [Int64.min, -1, 0, .max] {
      let extreme = Moment(
        bootID: BootID(""),
        now: Now(boot: Instant(microseconds: number), wall: WallTime(microseconds: number)))
      let duration = Duration.microseconds(number / 2)
      var present = Snapshot.Present.sample(lifetime: duration, skew: duration)
      present.obtained = extreme
      let snapshot = Snapshot(
        generation: .max, published: extreme, session: .present(present),
        lastAttempt: Snapshot.Attempt(
          outcome: .success, ended: extreme, retryAfter: duration, failures: .max, detail: ""))
      #expect(SnapshotEncoding.decode(SnapshotEncoding.encode(snapshot)) == .snapshot(snapshot))
    }
  }

  @Test func `a refresh token's lifetime is whole seconds, as many as there is room for`() {
    for (lifetime, kept) in [
      (Duration.seconds(-5), Duration.zero), (.milliseconds(1999), .seconds(1)),
      (.seconds(Int64.max), .seconds(Int64(UInt32.max))),
    ] {
      let bytes = SnapshotEncoding.encode(.sample(.present(.sample(refreshLifetime: lifetime))))
      #expect(SnapshotEncoding.decode(bytes) == .snapshot(.sample(.present(.sample(refreshLifetime: kept)))))
    }
  }

  @Test func `what follows a snapshot is not looked at`() {
    let bytes = SnapshotEncoding.encode(Self.full) + [1, 2, 3]
    #expect(SnapshotEncoding.decode(bytes) == .snapshot(Self.full))
  }

  /// The bytes themselves, written down once: a change here is a new version of the format.
  @Test func `the layout is version 2`() {
    let bytes = SnapshotEncoding.encode(Self.full)
    func text(_ offset: Int, _ count: Int) -> String {
      String(decoding: bytes[offset..<offset + count], as: UTF8.self)
    }
    #expect(bytes[0..<12] == [0x4e, 0x4c, 0x53, 0x4e, 2, 0, 0, 0, 0x18, 12, 0, 0])
    #expect(bytes[16..<24] == [7, 0, 0, 0, 0, 0, 0, 0])
    #expect(bytes[24..<40] == [1, 0, 2, 0b1111_1111, 3, 0, 0, 0, 2, 0, 0, 0, 0, 0x8d, 0x27, 0])
    #expect(bytes[40..<48] == [0x40, 0x0c, 0xaa, 0x3b, 0, 0, 0, 0])  // 1,001,000,000 µs
    #expect(bytes[280..<282] == [17, 0])
    #expect(text(282, 17) == "alice@example.com")
    #expect(text(794, 13) == "Alice Liddell")
    #expect(text(122, 32) == thisBoot.description)
    #expect(text(242, 32) == earlierBoot.description)
    #expect(text(1050, 31) == "the token endpoint answered 503")
    #expect(bytes[1560..<1562] == [43, 0])
    #expect(text(1562, 43) == "wallet\t0xA11CE\nemail\talice@liddell.example\n")
    #expect(text(2586, 21) == "alice@liddell.example")
    #expect(text(2842, 5) == "alice")
  }

  /// The check value of CRC-32C in RFC 3720's polynomial, and the first vector of its appendix B.4.
  @Test func `the checksum is CRC-32C`() {
    var digits = CRC32C()
    digits.update(Array("123456789".utf8)[...])
    #expect(digits.value == 0xe306_9283)
    var zeros = CRC32C()
    zeros.update([UInt8](repeating: 0, count: 20)[...])
    zeros.update([UInt8](repeating: 0, count: 12)[...])
    #expect(zeros.value == 0x8a91_36aa)
  }

  struct Cut: Sendable, CustomTestStringConvertible {
    var string: String
    var kept: String

    var testDescription: String { "\(string.utf8.count) bytes to \(kept.utf8.count)" }
  }

  static let cuts = [
    Cut(string: String(repeating: "x", count: 510), kept: String(repeating: "x", count: 510)),
    Cut(string: String(repeating: "x", count: 511), kept: String(repeating: "x", count: 510)),
    Cut(string: String(repeating: "x", count: 509) + "é", kept: String(repeating: "x", count: 509)),
    Cut(string: String(repeating: "x", count: 508) + "é", kept: String(repeating: "x", count: 508) + "é"),
    Cut(string: String(repeating: "🧵", count: 200), kept: String(repeating: "🧵", count: 127)),
    Cut(string: String(repeating: "€", count: 1_000_000), kept: String(repeating: "€", count: 170)),
  ]

  @Test(arguments: cuts) func `a long string is cut where a scalar ends`(_ cut: Cut) throws {
    var snapshot = Self.full
    snapshot.lastAttempt?.detail = cut.string
    let decoded = try #require(SnapshotEncoding.decode(SnapshotEncoding.encode(snapshot)).snapshot)
    #expect(decoded.lastAttempt?.detail == cut.kept)
    #expect(decoded.session == Self.full.session)
  }

  @Test func `linked accounts that do not fit are left out whole`() throws {
    let accounts = (100..<200).map { LinkedAccount(kind: "wallet", identifier: "0x\($0)") }
    var present = Snapshot.Present.sample()
    present.user.linkedAccounts = accounts
    let snapshot = Snapshot.sample(.present(present), attempt: nil, spend: .settled)
    let decoded = try #require(SnapshotEncoding.decode(SnapshotEncoding.encode(snapshot)).snapshot)
    guard case .present(let kept) = decoded.session else { throw NoSession() }
    // Thirteen bytes each, in 1,022.
    #expect(kept.user.linkedAccounts == Array(accounts.prefix(78)))
  }

  struct NoSession: Error {}

  @Test func `an overlong boot id belongs to no boot`() throws {
    let overlong = BootID(thisBoot.description + "0123456789")
    var snapshot = Self.full
    snapshot.session = .present(.sample(verifiedIn: overlong))
    let decoded = try #require(SnapshotEncoding.decode(SnapshotEncoding.encode(snapshot)).snapshot)
    let clocks = now(boot: 1_060, wall: 50_060)
    #expect(decoded.authState(at: clocks, in: overlong) == .authenticatedUnverified(alice))
    #expect(decoded.authState(at: clocks, in: thisBoot) == .authenticatedUnverified(alice))
  }
}
