/// What the tool tells scripts: the numbers of `sysexits.h` and four of its own for `nightlatch auth`.
nonisolated enum ExitCode: Int32, CaseIterable, Sendable {
  case success = 0
  case failure = 1
  case unverified = 10
  case unauthenticated = 11
  case notReady = 12
  case usage = 64
  case unavailable = 69
  /// Only of the foreground agent, which four commands become.
  case broken = 70
  case temporary = 75
  case notPermitted = 77
  case configuration = 78

  /// Of a command that becomes the foreground agent (nightlatch-foreground(8), EXIT STATUS).
  static let agent: [ExitCode] = [.success, .broken, .temporary, .notPermitted, .configuration]

  /// One phrase for help and manual.
  var meaning: String {
    switch self {
    case .success: "Success"
    case .failure:
      "It failed, or found something wrong, or what it waited for did not succeed; its output or standard error says why"
    case .unverified: "There is a session, but nobody has verified it or its token has expired"
    case .unauthenticated: "There is no session: log in"
    case .notReady: "Nothing is known: nothing was published yet, or the session store can't be read"
    case .usage: "The command line is wrong"
    case .unavailable: "The daemon can't be reached"
    case .broken: "Something is broken in the program or a library"
    case .temporary:
      "Not now: there is no valid token or verified session, the daemon or its ledger is busy, or a refresh may succeed later"
    case .notPermitted: "Not permitted; of a login or a refresh: a person has to log in"
    case .configuration:
      "The configuration, a secret or the session store can't be used as it is: an administrator has to see to it"
    }
  }
}
