import AuthModel
import Scheduling
import Testing

/// The rule of the four states, row by row.
@Suite struct AuthStateTests {
  static let fresh = now(boot: 1_060, wall: 50_060)

  struct Row: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var session: Snapshot.Session
    var spend = Snapshot.Spend.settled
    var now = AuthStateTests.fresh
    var expected: AuthState

    init(
      _ description: String, _ session: Snapshot.Session, spend: Snapshot.Spend = .settled,
      now: Now = AuthStateTests.fresh, is expected: AuthState
    ) {
      testDescription = description
      self.session = session
      self.spend = spend
      self.now = now
      self.expected = expected
    }
  }

  static let rows = [
    Row("verified, token fresh", .present(.sample()), is: .authenticated(alice)),
    Row("an access token that never expires", .present(.sample(lifetime: nil)), is: .authenticated(alice)),
    Row(
      "verified in this boot, token of an earlier one still valid",
      .present(.sample(obtainedIn: earlierBoot)), is: .authenticated(alice)),
    Row("never verified", .present(.sample(verifiedIn: nil)), is: .authenticatedUnverified(alice)),
    Row(
      "verified in an earlier boot", .present(.sample(verifiedIn: earlierBoot)),
      is: .authenticatedUnverified(alice)),
    Row(
      "verified, but no access token", .present(.sample(tokenGeneration: 0)),
      is: .authenticatedUnverified(alice)),
    Row(
      "no access token, no lifetime either", .present(.sample(tokenGeneration: 0, lifetime: nil)),
      is: .authenticatedUnverified(alice)),
    Row(
      "a microsecond before it expires", .present(.sample()),
      now: Now(boot: Instant(microseconds: 4_599_999_999), wall: WallTime(seconds: 0)),
      is: .authenticated(alice)),
    Row(
      "the moment it expires", .present(.sample()), now: now(boot: 4_600, wall: 0),
      is: .authenticatedUnverified(alice)),
    Row(
      "long expired", .present(.sample()), now: now(boot: 1_000_000, wall: 50_060),
      is: .authenticatedUnverified(alice)),
    Row(
      "a token that was expired when it came", .present(.sample(lifetime: .zero)),
      is: .authenticatedUnverified(alice)),
    Row(
      "a lifetime below zero", .present(.sample(lifetime: .seconds(-1))),
      is: .authenticatedUnverified(alice)),
    Row(
      "a spend under way", .present(.sample()), spend: .open, is: .authenticatedUnverified(alice)),
    Row(
      "a spend of unknown fate", .present(.sample()), spend: .ambiguous,
      is: .authenticatedUnverified(alice)),
    Row(
      "a spend of unknown fate, token that never expires", .present(.sample(lifetime: nil)),
      spend: .ambiguous, is: .authenticatedUnverified(alice)),
    Row("store unreadable", .unreadable, is: .notReady(.unreadableStore)),
    Row("store unreadable, spend open", .unreadable, spend: .open, is: .notReady(.unreadableStore)),
  ]

  @Test(arguments: rows) func `a snapshot and the clocks make one state`(_ row: Row) {
    let snapshot = Snapshot.sample(row.session, spend: row.spend)
    #expect(snapshot.authState(at: row.now, in: thisBoot) == row.expected)
    #expect(SnapshotReading.snapshot(snapshot).authState(at: row.now, in: thisBoot) == row.expected)
  }

  @Test(arguments: UnauthenticatedReason.allCases, Snapshot.Spend.allCases)
  func `an absent session is unauthenticated for its own reason`(
    _ reason: UnauthenticatedReason, _ spend: Snapshot.Spend
  ) {
    let snapshot = Snapshot.sample(.absent(reason), spend: spend)
    #expect(snapshot.authState(at: Self.fresh, in: thisBoot) == .unauthenticated(reason))
  }

  @Test(arguments: NotReadyReason.allCases)
  func `no snapshot is never mistaken for logged out`(_ reason: NotReadyReason) {
    #expect(SnapshotReading.notReady(reason).authState(at: Self.fresh, in: thisBoot) == .notReady(reason))
    #expect(SnapshotReading.notReady(reason).snapshot == nil)
  }

  @Test(arguments: AttemptClass.allCases)
  func `the last attempt alone changes no state`(_ outcome: AttemptClass) {
    let snapshot = Snapshot.sample(.present(.sample()), attempt: .sample(outcome))
    #expect(snapshot.authState(at: Self.fresh, in: thisBoot) == .authenticated(alice))
  }
}
