/// Why a run is where it is: the `reason` of ledger, journal and `nightlatch why`.
public enum Reason: Hashable, Sendable {
  /// The session has not been confirmed.
  case unverified
  /// The access token would expire within `min_token_lifetime`.
  case tokenTooShort
  case unauthenticated
  case notReady
  /// The service refused the token (exit status 77).
  case tokenRefused
  /// The service refused the token that replaced it as well.
  case tokenRefusedAgain
  /// The token could not be read or handed over.
  case tokenUnreadable(String)
  case overlap
  /// The due passed while the daemon, the machine or the clock was not there.
  case missed
  case paused
  /// The job's share of the foreground queue is full.
  case queueFull
  /// A later due of the same job took its place.
  case laterDue
  /// An earlier due of the same job is queued already.
  case earlierDue
  /// It waited for its constraints as long as `constraint_wait` allows.
  case constraints
  /// It waited in the foreground queue as long as `defer_for` allows.
  case deferredTooLong
  case timeLimit
  case byRequest
  case replaced
  case shutdown
  case constraintLost
  /// The daemon or the machine went down under it.
  case crash
  /// It could not be started; one sentence.
  case notStarted(String)
  /// The job file is gone.
  case noDefinition
  /// Ended with this status.
  case exit(ExitStatus)

  /// The reason as it is stored and shown: one word, or one sentence where a detail matters.
  public var text: String {
    switch self {
    case .unverified: "unverified"
    case .tokenTooShort: "token-too-short"
    case .unauthenticated: "unauthenticated"
    case .notReady: "not-ready"
    case .tokenRefused: "token-refused"
    case .tokenRefusedAgain: "token-refused-again"
    case .tokenUnreadable(let detail), .notStarted(let detail): detail
    case .overlap: "overlap"
    case .missed: "missed"
    case .paused: "paused"
    case .queueFull: "queue-full"
    case .laterDue: "later-due"
    case .earlierDue: "earlier-due"
    case .constraints: "constraints"
    case .deferredTooLong: "deferred-too-long"
    case .timeLimit: "time-limit"
    case .byRequest: "by-request"
    case .replaced: "replaced"
    case .shutdown: "shutdown"
    case .constraintLost: "constraint-lost"
    case .crash: "crash"
    case .noDefinition: "no-definition"
    case .exit(.exited(let status)): "exit-\(status)"
    case .exit(.signaled(let signal)): "signal-\(signal)"
    case .exit(.unknown): "exit-unknown"
    }
  }
}
