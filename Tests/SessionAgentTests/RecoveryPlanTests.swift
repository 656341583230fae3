import AuthModel
import Scheduling
import Testing

@testable import SessionAgent

private let token = TokenHash(of: Secret("t"))

/// A history, the circumstances, and what must happen next. Times are seconds of the boot clock; the
/// wall clock runs along unless said otherwise.
struct Situation: Sendable, CustomTestStringConvertible {
  var testDescription: String
  var records: [SpendRecord] = []
  var reuseWindow: Duration = .seconds(30)
  var onLost = ProviderDefinition.LostPolicy.retry
  var canIntrospect = false
  var tokenTimeLeft: Duration? = .zero
  var now: Moment
  var plan: RecoveryPlan
}

private func sent(_ purpose: Spend.Purpose, _ seconds: Int64) -> SpendRecord {
  .spend(Spend(purpose: purpose, generation: 1, token: token, sent: .of(seconds)))
}

private func inOtherBoot(_ seconds: Int64) -> Moment { .of(seconds, boot: "boot-b") }

private func wallStepped(_ boot: Int64, _ wall: Int64) -> Moment {
  Moment(bootID: BootID("boot-a"), now: Now(boot: Moment.of(boot).boot, wall: Moment.of(wall).wall))
}

private let situations: [Situation] = [
  Situation(testDescription: "nothing happened", now: .of(0), plan: .send(.first)),
  Situation(
    testDescription: "a send that never left", records: [sent(.first, 0), .unspent(generation: 1)],
    now: .of(1),
    plan: .send(.first)),
  Situation(testDescription: "lost, inside", records: [sent(.first, 0)], now: .of(29), plan: .send(.resend)),
  Situation(
    testDescription: "lost, at the window's end", records: [sent(.first, 0)], now: .of(30),
    plan: .send(.final)),
  Situation(
    testDescription: "lost, no window", records: [sent(.first, 0)], reuseWindow: .zero, now: .of(0),
    plan: .send(.final)),
  Situation(
    testDescription: "three re-sends are enough",
    records: [sent(.first, 0), sent(.resend, 1), sent(.resend, 2), sent(.resend, 3)], now: .of(4),
    plan: .send(.final)),
  Situation(
    testDescription: "a re-send that never left does not count",
    records: [
      sent(.first, 0), sent(.resend, 1), sent(.resend, 2), sent(.resend, 3), .unspent(generation: 1),
    ],
    now: .of(4), plan: .send(.resend)),
  Situation(
    testDescription: "the window counts from the first send", records: [sent(.first, 0), sent(.resend, 29)],
    now: .of(31), plan: .send(.final)),
  Situation(
    testDescription: "the larger clock counts: wall", records: [sent(.first, 0)], now: wallStepped(1, 40),
    plan: .send(.final)),
  Situation(
    testDescription: "the larger clock counts: boot", records: [sent(.first, 0)], now: wallStepped(40, 1),
    plan: .send(.final)),
  Situation(
    testDescription: "another boot, inside", records: [sent(.first, 0)], now: inOtherBoot(10),
    plan: .send(.resend)),
  Situation(
    testDescription: "another boot, outside", records: [sent(.first, 0)], now: inOtherBoot(31),
    plan: .send(.final)),
  Situation(
    testDescription: "another boot, wall clock stepped back", records: [sent(.first, 0)],
    now: inOtherBoot(-1),
    plan: .send(.final)),
  Situation(
    testDescription: "outside, introspection", records: [sent(.first, 0)], canIntrospect: true,
    tokenTimeLeft: .seconds(9), now: .of(31), plan: .introspect),
  Situation(
    testDescription: "inside, no need to introspect", records: [sent(.first, 0)], canIntrospect: true,
    now: .of(1),
    plan: .send(.resend)),
  Situation(
    testDescription: "outside, the access token lasts", records: [sent(.first, 0)],
    tokenTimeLeft: .seconds(9),
    now: .of(31), plan: .wait(.seconds(9))),
  Situation(
    testDescription: "outside, its lifetime is unknown", records: [sent(.first, 0)], tokenTimeLeft: nil,
    now: .of(31),
    plan: .send(.final)),
  Situation(
    testDescription: "exactly once more", records: [sent(.first, 0), sent(.final, 31)], now: .of(32),
    plan: .park(.lost)),
  Situation(
    testDescription: "exactly once more, also inside a window", records: [sent(.first, 0), sent(.final, 1)],
    now: .of(2), plan: .park(.lost)),
  Situation(
    testDescription: "once more, but it never left",
    records: [sent(.first, 0), sent(.final, 31), .unspent(generation: 1)], now: .of(32), plan: .send(.final)),
  Situation(
    testDescription: "on_lost = park", records: [sent(.first, 0)], onLost: .park, now: .of(31),
    plan: .park(.lost)),
  Situation(
    testDescription: "on_lost = park, inside", records: [sent(.first, 0)], onLost: .park, now: .of(3),
    plan: .send(.resend)),
  Situation(
    testDescription: "refused once, too early", records: [.refused(token, at: .of(0))], now: .of(100),
    plan: .wait(.seconds(200))),
  Situation(
    testDescription: "refused once, spaced", records: [.refused(token, at: .of(0))], now: .of(300),
    plan: .send(.first)),
  Situation(
    testDescription: "refused three times",
    records: [.refused(token, at: .of(0)), .refused(token, at: .of(300)), .refused(token, at: .of(600))],
    now: .of(9000), plan: .park(.refused)),
  Situation(
    testDescription: "parked for good", records: [.parked(token, .otherIdentity)], now: .of(9000),
    plan: .park(.otherIdentity)),
  Situation(
    testDescription: "settled by a login", records: [.parked(token, .lost), .settled(generation: 2)],
    now: .of(9000),
    plan: .send(.first)),
]

@Suite struct RecoveryPlanTests {
  @Test(arguments: situations) func `the plan follows from the journal`(situation: Situation) {
    var history = SpendHistory()
    for record in situation.records { history.apply(record) }
    var provider = ProviderDefinition(name: ProviderName("p"), kind: .oauth2, clientID: "c")
    provider.reuseWindow = situation.reuseWindow
    provider.onLost = situation.onLost
    let plan = RecoveryPlan.next(
      history, provider: provider, canIntrospect: situation.canIntrospect,
      tokenTimeLeft: situation.tokenTimeLeft,
      now: situation.now.now, in: situation.now.bootID)
    #expect(plan == situation.plan)
  }
}
