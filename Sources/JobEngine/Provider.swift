import AuthModel
import Scheduling

/// What the engine knows of one provider.
struct Provider: Sendable {
  var definition: ProviderDefinition
  var reading: SnapshotReading = .notReady(.noSnapshot)
  /// The latest token that a service refused, or that could not be read; the ones before it are worth no
  /// more.
  var suspect: TokenRefusal?
  /// The latest token that a service is known to have accepted.
  var acceptedToken: UInt64?
  var phase: Phase = .idle
  /// When the last phase began, on the boot clock.
  var phaseBegan: Instant?
  /// Phases in a row that have failed.
  var failures = 0
  /// Phases in a row that the server refused without a reason that we know.
  var unknownRejections = 0
  /// Whether a person or a trigger asked for a phase that has not run yet.
  var isWanted = false
  var drain: Drain?
  /// Runs out of the queue that are under way, from this pass or an earlier one.
  var drained: Set<RunID> = []
  /// When the token is looked at again; an agenda entry of another time is stale.
  var expiryReminders: Set<Instant> = []
  /// The token whose refresh token's end people were warned of.
  var warnedToken: UInt64?
  /// When a phase to keep the session alive last had nothing to spend.
  var keptAlive: Moment?
  /// Jobs whose service refused the token that is there, and one before it: their entries wait for whatever token
  /// comes, and ask for none.
  var parked: Set<JobID> = []
  /// The refusal that parked the latest of them.
  var parkedAt: TokenRefusal?
  /// Entries in the foreground queue, over all jobs.
  var deferredCount = 0
  /// Those that wait for a phase: all but the ones of parked jobs.
  var awaitedCount = 0
  /// The longest `min_token_lifetime` of jobs that need its token: with that much left, a token is too short for none.
  var longestWanted = Duration.zero
  /// The state people were last told.
  var reportedState: String?
  /// Requests that are answered when the phase is over.
  var waiting: [PhaseWish] = []

  enum Phase: Hashable, Sendable {
    /// Can become: running.
    case idle
    /// Can become: idle, backingOff, parked.
    case running(phase: UInt64, PhaseVerb, since: Moment)
    /// Can become: running, idle.
    case backingOff(until: Instant)
    /// Nothing is tried until a reload, a login or a person's wish. Can become: running, idle.
    case parked(String)
  }

  /// One pass over the foreground queue, from head to tail.
  struct Drain: Sendable {
    var pass: UInt64
    /// Everything up to here has been looked at.
    var cursor: QueuePosition?
    var isAsking = false
    /// Whether something came up that this pass may have missed.
    var isAgainWanted = false
  }

  /// A request that is answered when none of the providers it asked for has a phase under way for it.
  struct PhaseWish: Hashable, Sendable {
    var request: RequestID
    var asked: [ProviderName]
  }

  init(definition: ProviderDefinition) { self.definition = definition }

  /// The session, when there is one.
  var present: Snapshot.Present? {
    guard case .snapshot(let snapshot) = reading, case .present(let present) = snapshot.session else {
      return nil
    }
    return present
  }
}
