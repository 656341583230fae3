extension VerdictTable {
  /// For a credential helper. It spends nothing of ours, so whatever it does wrong can be tried again,
  /// unless trying again can't help. The exit statuses are those of sysexits.h and of the shell.
  static let command = VerdictTable(rows: [
    Row(meaning: "it took too long, or was killed", exchange: .lost, verdict: .transient),
    Row(meaning: "a token", exchange: .exited(0...0, .body(.token)), verdict: .success),
    Row(
      meaning: "a token that has expired already", exchange: .exited(0...0, .body(.expiredToken)),
      verdict: .clockSuspect),
    Row(
      meaning: "a token that is no bearer token", exchange: .exited(0...0, .body(.unusableTokenType)),
      verdict: .unusableToken),
    Row(meaning: "not what a helper prints", exchange: .exited(0...0, .any), verdict: .configuration),
    Row(meaning: "wrong usage", exchange: .exited(64...64, .any), verdict: .configuration),
    Row(meaning: "a person has to log in", exchange: .exited(77...77, .any), verdict: .definite),
    Row(meaning: "something is set up wrong", exchange: .exited(78...78, .any), verdict: .configuration),
    Row(meaning: "it can't be run", exchange: .exited(126...127, .any), verdict: .configuration),
    Row(meaning: "it failed", exchange: .exited(1...255, .any), verdict: .transient),
  ])
}
