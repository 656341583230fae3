/// What the tool tells scripts: the numbers of `sysexits.h` and four of its own for `nightlatch auth`.
nonisolated enum ExitCode: Int32, CaseIterable, Sendable {
  case success = 0
  case failure = 1
  case unverified = 10
  case unauthenticated = 11
  case notReady = 12
  case usage = 64
  case unavailable = 69
  case temporary = 75
  case notPermitted = 77
  case configuration = 78

  /// What every command can end with.
  static let common: [ExitCode] = [
    .success, .failure, .usage, .unavailable, .temporary, .notPermitted, .configuration,
  ]

  /// One phrase for help and manual.
  var meaning: String {
    switch self {
    case .success: "Success"
    case .failure: "It failed; standard error says why"
    case .unverified: "There is a session, but nobody has verified it or its token has expired"
    case .unauthenticated: "There is no session: log in"
    case .notReady: "Nothing is known: nothing was published yet, or the session store can't be read"
    case .usage: "The command line is wrong"
    case .unavailable: "The daemon can't be reached"
    case .temporary: "Not now: there is no valid token or verified session, or the daemon is busy"
    case .notPermitted: "Not permitted"
    case .configuration: "A configuration file is wrong"
    }
  }
}
