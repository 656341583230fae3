import AuthModel
import Scheduling
import Testing

/// How long the token is valid, on which clock. It was obtained at boot second 1,000, wall second
/// 50,000, and lives for 3,600 s.
@Suite struct TokenTimeLeftTests {
  struct Row: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var obtainedIn: BootID
    var skew: Int64
    var now: Now
    var secondsLeft: Int64

    init(
      _ description: String, obtainedIn: BootID, skew: Int64 = 0, boot: Int64, wall: Int64, left: Int64
    ) {
      testDescription = description
      self.obtainedIn = obtainedIn
      self.skew = skew
      now = AuthModelTests.now(boot: boot, wall: wall)
      secondsLeft = left
    }
  }

  static let rows = [
    // Within the boot: the boot clock alone.
    Row("just obtained", obtainedIn: thisBoot, boot: 1_000, wall: 50_000, left: 3_600),
    Row("a minute old", obtainedIn: thisBoot, boot: 1_060, wall: 50_060, left: 3_540),
    Row(
      "the wall clock stepped a year ahead", obtainedIn: thisBoot, boot: 1_060, wall: 31_600_000, left: 3_540),
    Row("the wall clock stepped back to 1970", obtainedIn: thisBoot, boot: 1_060, wall: 0, left: 3_540),
    Row("the wall clock stood still in suspend", obtainedIn: thisBoot, boot: 4_599, wall: 50_000, left: 1),
    Row(
      "skew means nothing within the boot", obtainedIn: thisBoot, skew: -9_999, boot: 1_060, wall: 0,
      left: 3_540),
    Row("expired", obtainedIn: thisBoot, boot: 4_600, wall: 50_000, left: 0),
    Row("long expired is no negative time", obtainedIn: thisBoot, boot: 9_999, wall: 50_000, left: 0),
    Row(
      "a boot clock before the token prolongs nothing", obtainedIn: thisBoot, boot: 10, wall: 50_000,
      left: 3_600),

    // In another boot: the wall clock, on the safe side.
    Row("rebooted a minute later", obtainedIn: earlierBoot, boot: 20, wall: 50_060, left: 3_540),
    Row("expired while the machine was off", obtainedIn: earlierBoot, boot: 20, wall: 53_600, left: 0),
    Row(
      "the wall clock was set back: its age is unknown", obtainedIn: earlierBoot, boot: 20, wall: 49_999,
      left: 0),
    Row(
      "no battery behind the clock: it is 1970 again", obtainedIn: earlierBoot, boot: 20, wall: 20, left: 0),
    Row(
      "our clock was an hour ahead and has been set right", obtainedIn: earlierBoot, skew: -3_600, boot: 20,
      wall: 46_500, left: 3_500),
    Row(
      "our clock was ahead and perhaps still is", obtainedIn: earlierBoot, skew: -600, boot: 20,
      wall: 50_100, left: 2_900),
    Row(
      "our clock was behind and perhaps still is", obtainedIn: earlierBoot, skew: 600, boot: 20,
      wall: 50_100, left: 3_500),
    Row("at least as old as this boot", obtainedIn: earlierBoot, boot: 3_000, wall: 50_060, left: 600),
    Row("up for longer than it lives", obtainedIn: earlierBoot, boot: 3_600, wall: 50_060, left: 0),
  ]

  @Test(arguments: rows) func `the time left is measured on the right clock`(_ row: Row) {
    let present = Snapshot.Present.sample(obtainedIn: row.obtainedIn, skew: .seconds(row.skew))
    #expect(present.tokenTimeLeft(at: row.now, in: thisBoot) == .seconds(row.secondsLeft))
  }

  @Test func `a token without a lifetime never expires`() {
    let present = Snapshot.Present.sample(lifetime: nil)
    #expect(present.tokenTimeLeft(at: now(boot: 1 << 40, wall: 0), in: thisBoot) == nil)
  }

  @Test(arguments: [nil, Duration.seconds(3600)])
  func `no token has no time left`(_ lifetime: Duration?) {
    let present = Snapshot.Present.sample(tokenGeneration: 0, lifetime: lifetime)
    #expect(present.tokenTimeLeft(at: now(boot: 1_000, wall: 50_000), in: thisBoot) == .zero)
  }

  @Test(arguments: [Int64.min, -1, 0, 1, .max], [Int64.min, -1, 0, 1, .max])
  func `the ends of the number line don't trap`(_ obtained: Int64, _ reading: Int64) {
    let extreme = Now(boot: Instant(microseconds: obtained), wall: WallTime(microseconds: obtained))
    let later = Now(boot: Instant(microseconds: reading), wall: WallTime(microseconds: reading))
    for bootID in [thisBoot, earlierBoot] {
      for lifetime in [Duration.microseconds(Int64.min / 2), .zero, .microseconds(Int64.max / 2)] {
        let present = Snapshot.Present(
          user: alice, tokenGeneration: 1, obtained: Moment(bootID: bootID, now: extreme),
          lifetime: lifetime, skew: lifetime, verifiedIn: thisBoot)
        let left = present.tokenTimeLeft(at: later, in: thisBoot) ?? .zero
        #expect(left >= .zero && left <= max(.zero, lifetime))
      }
    }
  }
}
