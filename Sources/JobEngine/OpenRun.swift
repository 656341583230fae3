import Scheduling

/// A run that the engine holds in memory: every open one but those in the foreground queue.
struct OpenRun: Hashable, Sendable {
  var record: RunRecord
  /// The definition the run was made from; a reload does not change it.
  var job: JobDefinition
  var step: Step
  /// Why it must end, when it was told so before it could be.
  var stopRequested: StopCause?
  /// Why it goes to the foreground queue; of no meaning unless it is on its way there.
  var deferral: Reason?

  enum Step: Hashable, Sendable {
    /// The ledger has been asked to accept the due. Can become: whatever the record's state says, or
    /// nothing when the due was decided before.
    case stamping
    /// Can become: stamping's outcomes through the gate, or expired.
    case waiting(until: Instant)
    /// Waits for the job's earlier run. Can become: waiting, starting, deferred, skipped.
    case queued
    /// The shell was asked for a process. Can become: running, retrying, deferred, failed.
    case starting
    /// Can become: stopping, retrying, deferred, or a verdict.
    case running(timeLimit: Instant)
    /// SIGTERM was sent. Can become: what ``StopCause`` says.
    case stopping(StopCause, kill: Instant)
    /// Can become: starting, deferred, skipped.
    case retrying(until: Instant)
    /// An earlier daemon began it and the shell is looking for its process. Can become: running, queued,
    /// interrupted, quarantined.
    case adopting
  }

  enum StopCause: Hashable, Sendable {
    case timeLimit, byRequest, replaced, noDefinition, shutdown, constraintLost

    /// Why a run that is told so is cancelled; nil when it may be begun again.
    var verdict: Reason? {
      switch self {
      case .byRequest: .byRequest
      case .replaced: .replaced
      case .noDefinition: .noDefinition
      case .timeLimit, .shutdown, .constraintLost: nil
      }
    }
  }

  var id: RunID { record.id }

  /// Whether a process exists, or may exist.
  var hasProcess: Bool {
    switch step {
    case .starting, .running, .stopping, .adopting: true
    case .stamping, .waiting, .queued, .retrying: false
    }
  }
}
