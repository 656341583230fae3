public import AuthModel
public import Scheduling

/// The instant a request is for. Together with the job it is the ledger's key: decided once, ever.
public enum Due: Hashable, Sendable {
  /// A calendar or cron due.
  case calendar(WallTime)
  /// An `every`, `after_boot` or `after_start` due: boot clock, in the boot it belongs to.
  case interval(Instant, BootID)
  /// Asked for by a person or a program.
  case request(Instant, BootID)
}

/// Names a run: sixteen hexadecimal digits, the same for every attempt and on every machine, since
/// it is a hash of the ledger's key.
public struct RunID: Hashable, Comparable, Sendable, CustomStringConvertible {
  public var rawValue: UInt64

  public init(rawValue: UInt64) { self.rawValue = rawValue }

  public init(job: JobID, due: Due) {
    rawValue = StableHash.of(job.description, due.key)
  }

  /// Parses the sixteen digits; nil for anything else.
  public init?(_ text: some StringProtocol) {
    guard text.utf8.count == 16, text.utf8.allSatisfy({ $0 != UInt8(ascii: "+") }),
      let rawValue = UInt64(text, radix: 16)
    else { return nil }
    self.rawValue = rawValue
  }

  public var description: String {
    let digits = String(rawValue, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  public static func < (left: RunID, right: RunID) -> Bool { left.rawValue < right.rawValue }
}

extension Due {
  /// The due's half of the ledger's key: `c:USEC`, `i:BOOT:USEC` or `r:BOOT:USEC`.
  public var key: String {
    switch self {
    case .calendar(let wall): "c:\(wall.microseconds)"
    case .interval(let boot, let id): "i:\(id):\(boot.microseconds)"
    case .request(let boot, let id): "r:\(id):\(boot.microseconds)"
    }
  }

  /// Parses ``key``; nil for anything else.
  public init?(key: String) {
    let parts = key.split(separator: ":", omittingEmptySubsequences: false)
    switch (parts.first, parts.count) {
    case ("c", 2):
      guard let usec = Int64(parts[1]) else { return nil }
      self = .calendar(WallTime(microseconds: usec))
    case ("i", 3), ("r", 3):
      guard let usec = Int64(parts[2]) else { return nil }
      let (instant, boot) = (Instant(microseconds: usec), BootID(String(parts[1])))
      self = parts[0] == "i" ? .interval(instant, boot) : .request(instant, boot)
    default: return nil
    }
  }
}

/// Everything the ledger knows of one due: a row of its `runs` table.
public struct RunRecord: Hashable, Sendable {
  public var id: RunID
  public var job: JobID
  public var due: Due
  /// When the due is, or was, on the wall clock: for people and for sorting.
  public var dueAt: WallTime
  public var state: RunState
  /// One word or phrase for why the state is what it is; nil when there is nothing to add.
  public var reason: String?
  /// The number of the latest attempt; 0 before the first.
  public var attempt: Int = 0
  /// Attempts that failed and count against `[retry] attempts`.
  public var failures: Int = 0
  /// Interruptions, newest last; at most the three that matter for quarantine.
  public var interruptions: [WallTime] = []
  /// How many earlier dues this one stands for as well (missed or coalesced ones).
  public var covers: Int = 0
  public var provider: ProviderName?
  /// The auth state's name at the last decision; nil for a job without a provider.
  public var authState: String?
  /// The token generation the latest attempt was given.
  public var tokenGeneration: UInt64?
  /// How many different token generations the service has refused in this run, or in one that it stands for.
  public var refusals: Int = 0
  public var priority: Int = 0
  public var created: Moment
  /// When it entered the foreground queue; kept when it leaves and returns.
  public var deferred: Moment?
  /// When it leaves the foreground queue as `expired`, on the wall clock.
  public var deferredUntil: WallTime?
  /// When the latest attempt was begun.
  public var started: Moment?
  /// When the latest attempt, or the run, ended.
  public var ended: Moment?
  public var exit: ExitStatus?
  /// How the latest attempt ended. Set in the same write as ``ended`` and ``exit``; nil again, like them,
  /// when the next attempt begins. The ledger keeps an attempt's row unchanged once it has an outcome.
  public var attemptOutcome: AttemptOutcome?
  /// The latest attempt's main process, the evidence for or against an interruption.
  public var process: ProcessIdentity?

  public init(job: JobID, due: Due, dueAt: WallTime, state: RunState, created: Moment) {
    self.id = RunID(job: job, due: due)
    self.job = job
    self.due = due
    self.dueAt = dueAt
    self.state = state
    self.created = created
  }
}

extension RunRecord {
  /// How long after its due the run began: on the due's own clock, and only for a first attempt, since a
  /// later one is late on purpose.
  public var lateness: Duration? {
    guard let started, attempt == 1 else { return nil }
    switch due {
    case .calendar: return max(.zero, started.wall - dueAt)
    case .interval(let instant, let bootID), .request(let instant, let bootID):
      guard bootID == started.bootID else { return nil }
      return max(.zero, started.boot - instant)
    }
  }
}

/// Where a run is. The second half are verdicts: final.
public enum RunState: String, Hashable, Sendable, CaseIterable {
  /// Waits for its constraints.
  case waiting
  /// Waits for the job's earlier run (`overlap = "queue"` or `"replace"`).
  case queued
  /// In the foreground queue.
  case deferred
  /// Stamped: its process may exist from here on.
  case starting
  case running
  /// Waits for its next attempt.
  case retrying

  case succeeded
  case failed
  case timedOut = "timed-out"
  /// Cut off, and `on_interrupted` says to give up.
  case interrupted
  case skipped
  case coalesced
  case expired
  case cancelled
  /// Cut off three times within 72 hours: poison.
  case quarantined

  public var isFinal: Bool {
    switch self {
    case .waiting, .queued, .deferred, .starting, .running, .retrying: false
    case .succeeded, .failed, .timedOut, .interrupted, .skipped, .coalesced, .expired, .cancelled,
      .quarantined:
      true
    }
  }
}

/// How a process ended.
public enum ExitStatus: Hashable, Sendable {
  case exited(Int32)
  case signaled(Int32)
  /// It is gone, and nobody was there to be told how: it was adopted after a crash of the daemon.
  case unknown
}

/// A process that can be recognised again after the daemon was restarted.
public struct ProcessIdentity: Hashable, Sendable {
  public var pid: Int32
  /// Field 22 of `/proc/PID/stat`: clock ticks since boot. Tells a process from a later one that was
  /// given the same number.
  public var startTicks: UInt64
  public var bootID: BootID

  public init(pid: Int32, startTicks: UInt64, bootID: BootID) {
    self.pid = pid
    self.startTicks = startTicks
    self.bootID = bootID
  }
}
