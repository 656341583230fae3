import AuthModel
import Scheduling

let thisBoot = BootID("0123456789abcdef0123456789abcdef")
let clocks = Now(boot: Instant(microseconds: 10_000_000), wall: WallTime(seconds: 1_000))

/// A verified session in which every number and string is made from `number`, so that a mixture of two
/// is recognised.
func snapshot(_ number: UInt64) -> Snapshot {
  let moment = Moment(
    bootID: thisBoot,
    now: Now(boot: Instant(microseconds: Int64(number)), wall: WallTime(microseconds: Int64(number))))
  let present = Snapshot.Present(
    user: User(id: "user \(number)", name: "name \(number)"), tokenGeneration: number, obtained: moment,
    lifetime: .seconds(3600), skew: .microseconds(Int64(number)), verifiedIn: thisBoot)
  let attempt = Snapshot.Attempt(
    outcome: .success, ended: moment, failures: 0,
    detail: "attempt \(number) " + String(repeating: "·", count: 200))
  return Snapshot(generation: number, published: moment, session: .present(present), lastAttempt: attempt)
}
