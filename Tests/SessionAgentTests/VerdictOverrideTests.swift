import AuthModel
import Testing

@testable import SessionAgent

/// What a provider file makes of its provider's own words.
@Suite struct VerdictOverrideTests {
  static let overrides: [(plan: String, rule: VerdictOverride, outcome: AttemptClass)] = [
    // Atlassian, INDIGO IAM, and a server whose 500 is always before the database.
    (
      OutcomeTableTests.answer(403, #"{"error":"unauthorized_client"}"#),
      VerdictOverride(statuses: 403...403, error: "unauthorized_client", outcome: .definite), .definite
    ),
    (
      OutcomeTableTests.answer(401, #"{"error":"invalid_token"}"#),
      VerdictOverride(statuses: 401...401, error: "invalid_token", outcome: .definite), .definite
    ),
    (
      OutcomeTableTests.answer(500, OutcomeTableTests.page, OutcomeTableTests.html),
      VerdictOverride(statuses: 500...500, outcome: .transient), .transient
    ),
    (OutcomeTableTests.answer(401, ""), VerdictOverride(statuses: 401...401, outcome: .definite), .definite),
    // A captive portal's page is not the provider's word.
    (
      OutcomeTableTests.answer(401, OutcomeTableTests.page, OutcomeTableTests.html),
      VerdictOverride(statuses: 401...401, outcome: .definite), .transient
    ),
    (
      OutcomeTableTests.answer(503, ""), VerdictOverride(statuses: 500...599, outcome: .ambiguous), .ambiguous
    ),
    (
      OutcomeTableTests.answer(400, #"{"error":"e"}"#),
      VerdictOverride(statuses: 400...499, error: "e", outcome: .rejected),
      .rejectedUnknown
    ),
    (
      OutcomeTableTests.answer(404, ""), VerdictOverride(statuses: 404...404, outcome: .configuration),
      .configuration
    ),
    // A token is a token.
    (#"{"mode":"pass"}"#, VerdictOverride(statuses: 200...299, outcome: .definite), .success),
  ]

  @Test func `a provider file has the last word`() throws {
    let world = try FlowWorld()
    for row in Self.overrides {
      world.provider.verdicts = [row.rule]
      try world.begin()
      try SpendJournal.clear(world.file("journal"))
      try world.plan(row.plan)
      _ = try world.agent().refresh()
      #expect(world.snapshot?.lastAttempt?.outcome == row.outcome, "\(row)")
      if row.outcome == .definite { #expect(try world.state() == .unauthenticated(.rejected), "\(row)") }
    }
  }
}
