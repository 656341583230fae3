/// One step of the schema's history. A step that has been released is never edited: a change is a new step.
nonisolated struct Migration: Sendable {
  /// The schema version (`PRAGMA user_version`) that the step leads to; the first is 1.
  var version: Int
  var statements: [String]

  nonisolated static let all = [version1, version2]
}
