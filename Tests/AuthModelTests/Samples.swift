import AuthModel
import Scheduling

let thisBoot = BootID("0123456789abcdef0123456789abcdef")
let earlierBoot = BootID("fedcba9876543210fedcba9876543210")

/// Both clocks, in seconds.
func now(boot: Int64, wall: Int64) -> Now {
  Now(boot: Instant(microseconds: boot * 1_000_000), wall: WallTime(seconds: wall))
}

func moment(in bootID: BootID = thisBoot, boot: Int64, wall: Int64) -> Moment {
  Moment(bootID: bootID, now: now(boot: boot, wall: wall))
}

let alice = User(
  id: "alice@example.com", name: "Alice Liddell", email: "alice@liddell.example", username: "alice",
  linkedAccounts: [
    LinkedAccount(kind: "wallet", identifier: "0xA11CE"),
    LinkedAccount(kind: "email", identifier: "alice@liddell.example"),
  ])

extension Snapshot.Present {
  /// Alice's session: a token of one hour, obtained at boot second 1,000 and wall second 50,000, verified.
  static func sample(
    tokenGeneration: UInt64 = 3, obtainedIn: BootID = thisBoot, lifetime: Duration? = .seconds(3600),
    skew: Duration = .zero, verifiedIn: BootID? = thisBoot, refreshLifetime: Duration? = nil
  ) -> Self {
    Self(
      user: alice, tokenGeneration: tokenGeneration,
      obtained: moment(in: obtainedIn, boot: 1_000, wall: 50_000), lifetime: lifetime, skew: skew,
      verifiedIn: verifiedIn, refreshLifetime: refreshLifetime)
  }
}

extension Snapshot {
  static func sample(_ session: Session, attempt: Attempt? = nil, spend: Spend = .settled) -> Self {
    Self(
      generation: 7, published: moment(boot: 1_001, wall: 50_001), session: session, lastAttempt: attempt,
      spend: spend)
  }
}

extension Snapshot.Attempt {
  static func sample(_ outcome: AttemptClass, retryAfter: Duration? = .seconds(30)) -> Self {
    Self(
      outcome: outcome, ended: moment(in: earlierBoot, boot: 999, wall: 49_999), retryAfter: retryAfter,
      failures: 2, detail: "the token endpoint answered 503: déjà vu 🔁")
  }
}
