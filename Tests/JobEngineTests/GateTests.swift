import AuthModel
import JobEngine
import Testing

/// The table of DESIGN's section "The gate", row by row.
@Suite struct GateTests {
  static let alice = User(id: "alice")
  static let states: [AuthState] = [
    .authenticated(alice), .authenticatedUnverified(alice), .unauthenticated(.rejected),
    .notReady(.noSnapshot),
  ]

  struct Row: Sendable {
    var requires: AuthPolicy.Requirement
    var decisions: [Gate.Decision]
  }

  @Test(arguments: [
    Row(requires: .none, decisions: [.run, .run, .run, .run]),
    Row(requires: .session, decisions: [.run, .run, .skip(.unauthenticated), .defer(.notReady)]),
    Row(
      requires: .verified,
      decisions: [.run, .defer(.unverified), .skip(.unauthenticated), .defer(.notReady)]),
  ])
  func `every requirement meets every state`(row: Row) {
    var policy = AuthPolicy()
    policy.requires = row.requires
    for (state, decision) in zip(Self.states, row.decisions) {
      #expect(
        Gate.decide(policy, state: state, timeLeft: .seconds(3600), isParked: false, isFresh: false)
          == decision)
    }
  }

  @Test func `a policy turns the last two columns round`() {
    var policy = AuthPolicy()
    policy.requires = .verified
    policy.onUnauthenticated = .defer
    policy.onNotReady = .skip
    let decide = { Gate.decide(policy, state: $0, timeLeft: nil, isParked: false, isFresh: false) }
    #expect(decide(.unauthenticated(.loggedOut)) == .defer(.unauthenticated))
    #expect(decide(.notReady(.unreadableStore)) == .skip(.notReady))
  }

  @Test(arguments: [
    (Duration.seconds(59), false, Gate.Decision.defer(.tokenTooShort)),
    (Duration.seconds(60), false, Gate.Decision.run),
    (Duration.seconds(5), true, Gate.Decision.run),
  ])
  func `a token must live long enough, unless it was obtained for this run`(
    left: Duration, isFresh: Bool, decision: Gate.Decision
  ) {
    var policy = AuthPolicy()
    policy.requires = .verified
    #expect(
      Gate.decide(policy, state: Self.states[0], timeLeft: left, isParked: false, isFresh: isFresh)
        == decision)
  }

  @Test func `a token that the job's service refused twice in a row is none, for this job`() {
    var policy = AuthPolicy()
    let decide = {
      Gate.decide(policy, state: Self.states[0], timeLeft: nil, isParked: true, isFresh: true)
    }
    #expect(decide() == .run)
    policy.requires = .verified
    #expect(decide() == .defer(.tokenRefusedAgain))
  }

  @Test func `a token without a known end is long enough`() {
    var policy = AuthPolicy()
    policy.requires = .verified
    #expect(
      Gate.decide(policy, state: Self.states[0], timeLeft: nil, isParked: false, isFresh: false) == .run)
  }
}
