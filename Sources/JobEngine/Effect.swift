public import AuthModel
public import Scheduling

/// Something the shell must do. Performed in order; the store writes of one turn are one transaction,
/// committed before anything else of that turn is done.
public enum Effect: Hashable, Sendable {
  case store(StoreWrite)
  /// Start a run's process. Answered by ``Event/spawned(_:attempt:_:)`` or
  /// ``Event/spawnFailed(_:attempt:_:)``, then ``Event/exited(_:attempt:_:)``.
  case spawn(Launch)
  /// Find the process of the latest attempt of a run that an earlier daemon began: by its identity or, when
  /// that was not recorded, by its environment. Answered by ``Event/spawned(_:attempt:_:)`` or
  /// ``Event/lost(_:attempt:)``.
  case adopt(RunRecord)
  /// Signal every process of the run.
  case signal(RunID, RunSignal)
  /// Start the foreground agent. Answered by ``Event/phaseEnded(_:phase:_:)``.
  case startPhase(ProviderName, PhaseVerb, phase: UInt64)
  case report(Report)
  case reply(RequestID, RequestResult)
  /// Everything is settled: leave.
  case exit
}

public enum RunSignal: Hashable, Sendable {
  /// SIGTERM: please end.
  case terminate
  /// SIGKILL.
  case kill
}

/// What the foreground agent is started for.
public enum PhaseVerb: String, Hashable, Sendable {
  /// Load the store and publish what is there. No network.
  case publish
  /// Spend the refresh token, persist, publish.
  case refresh
}

/// Everything needed to start one attempt.
public struct Launch: Hashable, Sendable {
  public var record: RunRecord
  public var job: JobDefinition
  /// Nil for a job without a provider.
  public var authState: AuthState?
  /// Nil unless the job requires a verified session.
  public var token: Token?

  public struct Token: Hashable, Sendable {
    public var provider: ProviderName
    public var generation: UInt64
    public var delivery: AuthPolicy.TokenDelivery
  }
}

/// What people are told: one journal entry each.
public enum Report: Hashable, Sendable {
  /// A run entered the foreground queue, or its due met a verdict.
  case verdict(RunRecord)
  case runStarted(RunRecord)
  /// A run was cut off and will be started again.
  case runInterrupted(RunRecord)
  /// An attempt failed and another will follow.
  case retryScheduled(RunRecord, after: Duration)
  /// The service refused a token; the run waits for the next one.
  case tokenRefused(RunRecord)
  /// The provider's tokens never live as long as the job's `min_token_lifetime`.
  case tokenAlwaysTooShort(RunRecord, lifetime: Duration, wanted: Duration)

  case phaseStarted(ProviderName, PhaseVerb)
  case phaseSucceeded(ProviderName, PhaseVerb)
  case phaseFailed(ProviderName, AttemptClass?, detail: String, retryAfter: Duration?)
  /// Nothing will be tried until somebody logs in or mends the file; says why.
  case providerParked(ProviderName, detail: String, needsLogin: Bool)
  case loginRequired(ProviderName, UnauthenticatedReason, blocked: Int)
  /// The refresh token will expire by itself.
  case sessionEnds(ProviderName, in: Duration)
  /// The server handed out a refresh token that it had been sent before.
  case spentTokenReturned(ProviderName, detail: String)
  case authStateChanged(ProviderName, AuthState)
  case clockStepped
  /// Calendar dues wait until the wall clock is believed.
  case clockDoubted(ClockDoubt, at: WallTime)
  /// Calendar dues go on.
  case clockBelieved
}
