import AuthModel

extension VerdictTable {
  /// The same table, in which one provider's own words come first.
  func overridden(by overrides: [VerdictOverride]) -> VerdictTable {
    let rows = overrides.map { override in
      Row(
        meaning: "as the provider file says", exchange: .answered(override.statuses, Self.body(of: override)),
        verdict: Self.verdict(of: override.outcome))
    }
    return VerdictTable(rows: rows + self.rows)
  }

  private static func body(of override: VerdictOverride) -> BodyPattern {
    if let error = override.error { return .errors([error]) }
    // A captive portal answers with any status: a page must not end a session.
    return override.outcome == .definite ? .ownWords : .withoutToken
  }

  private static func verdict(of outcome: VerdictOverride.Outcome) -> RefreshVerdict {
    switch outcome {
    case .transient: .transient
    case .ambiguous: .ambiguous
    case .definite: .definite
    case .rejected: .rejectedUnknown
    case .configuration: .configuration
    }
  }
}
