extension Migration {
  /// Refused tokens are found without reading the history.
  nonisolated static let version2 = Migration(
    version: 2,
    statements: ["CREATE INDEX attempts_refused ON attempts (run, number) WHERE outcome = 'refused'"])
}
