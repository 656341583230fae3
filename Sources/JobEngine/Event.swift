public import AuthModel

/// Something that happened outside the engine. The shell posts it; ``Engine/handle(_:at:)`` decides.
public enum Event: Hashable, Sendable {
  /// The daemon has read its files, its ledger and the auth cache. Comes once, and before anything but
  /// ``conditionsChanged(_:)``.
  case started(Definitions, Recovery, [ProviderName: SnapshotReading])
  case reloaded(Definitions)
  /// A deadline of ``Engine/nextWake`` may have passed.
  case woke
  /// The wall clock was set.
  case clockStepped
  case snapshotChanged(ProviderName, SnapshotReading)
  case conditionsChanged(Conditions)

  // Answers of the store.
  case stamped(RunID, isNew: Bool)
  case taken(TakenEntries)
  case swept(SweptEntries)
  case found([RunRecord], RequestID)

  /// The ledger can't be written, or can again. Until then no answer comes.
  case storeStalled(Bool)

  // Answers to ``Effect/spawn(_:)`` and ``Effect/adopt(_:attempt:_:)``. Those of an earlier attempt are
  // dropped.
  case spawned(RunID, attempt: Int, ProcessIdentity)
  case spawnFailed(RunID, attempt: Int, SpawnFailure)
  case exited(RunID, attempt: Int, ExitStatus)
  /// Nothing is left of a run that an earlier daemon had begun.
  case lost(RunID, attempt: Int)

  /// A foreground phase is over. The snapshot it published, if any, was posted before.
  case phaseEnded(ProviderName, phase: UInt64, PhaseEnd)
  /// Another program has put another token where the agent finds it.
  case tokenRotated(ProviderName)
  case requested(RequestID, Request)
  case shutdownRequested
}

/// Everything the files say.
public struct Definitions: Hashable, Sendable {
  public var settings = DaemonSettings()
  public var jobs: [JobID: JobDefinition] = [:]
  public var providers: [ProviderName: ProviderDefinition] = [:]

  public init() {}
}

public enum SpawnFailure: Hashable, Sendable {
  /// The access token could not be read or handed over; one sentence.
  case token(String)
  /// The program could not be started; one sentence.
  case program(String)
}

public enum PhaseEnd: Hashable, Sendable {
  /// The agent ran and exited with this status.
  case exited(Int32)
  /// The agent could not be started, or was killed; one sentence.
  case failed(String)
}

/// Names a request of a client, so that the answer finds its way back.
public struct RequestID: Hashable, Sendable {
  public var rawValue: UInt64

  public init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// What a person or a program may ask of the engine.
public enum Request: Hashable, Sendable {
  case run(JobID)
  /// The open runs to end, as the ledger knows them.
  case cancel([RunRecord])
  case pause(JobID)
  case resume(JobID)
  /// A foreground phase for this provider, or for every one.
  case foreground(ProviderName?)
  /// A program waits for a token: a phase as soon as the backoff allows it.
  case refresh(ProviderName)
  /// The network is back, says whoever called: reconsider every phase, without its backoff.
  case networkRestored
}

public enum RequestResult: Hashable, Sendable {
  /// The runs that were started, or ended.
  case runs([RunID])
  /// The providers that were asked about, now that their phases are over or on their way.
  case providers([ProviderName])
  case done
  case refused(Refusal)
}

public enum Refusal: Hashable, Sendable {
  case noSuchJob(JobID)
  case noSuchProvider(ProviderName)
  /// The daemon is stopping.
  case stopping
}
