public import Scheduling

/// How one attempt of a run ended. The run's own verdict is its ``RunState``: an interrupted attempt may
/// be followed by one that succeeds.
public enum AttemptOutcome: String, Hashable, Sendable, CaseIterable {
  case succeeded
  case failed
  case timedOut = "timed-out"
  /// Cut off by a crash, a reboot or a shutdown.
  case interrupted
  /// Exit 77 (EX_NOPERM): the service refused the token.
  case refused
  /// Exit 75 (EX_TEMPFAIL): try again later.
  case temporary
  case cancelled
  /// Its process could not be started.
  case notStarted = "not-started"
}

/// One attempt of a run, as the history keeps it.
public struct AttemptRecord: Hashable, Sendable {
  public var run: RunID
  /// Counted from 1.
  public var number: Int
  public var started: Moment?
  /// Nil until the attempt has an outcome.
  public var ended: Moment?
  /// Nil while the attempt may still be running.
  public var outcome: AttemptOutcome?
  public var reason: String?
  public var exit: ExitStatus?
  public var tokenGeneration: UInt64?
  public var process: ProcessIdentity?

  public init(run: RunID, number: Int) {
    self.run = run
    self.number = number
  }

  /// The latest attempt of `record`; nil before the first.
  ///
  /// What belongs to an end (``ended``, ``exit``, ``reason``) is taken only once there is an outcome, so
  /// that nothing left over from an earlier attempt is attributed to a new one.
  public init?(latestOf record: RunRecord) {
    guard record.attempt > 0 else { return nil }
    self.init(run: record.id, number: record.attempt)
    started = record.started
    tokenGeneration = record.tokenGeneration
    process = record.process
    outcome = record.attemptOutcome
    guard outcome != nil else { return }
    ended = record.ended
    exit = record.exit
    reason = record.reason
  }
}
