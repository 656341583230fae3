public import AuthModel
public import Scheduling

/// One change to the ledger. All writes of one turn are one transaction, in order.
public enum StoreWrite: Hashable, Sendable {
  /// Inserts the record unless its (job, due) is already there. Answered by ``Event/stamped(_:isNew:)``;
  /// nothing may start before that answer.
  case stamp(RunRecord)
  /// Replaces the record of the same id, and the row of its current attempt.
  case update(RunRecord)
  /// Replaces the job's progress.
  case saveProgress(JobID, JobProgress)
  /// Has all of the job's entries in the foreground queue wait for this provider.
  case moveEntries(JobID, ProviderName)
  /// Takes at most `limit` entries off the foreground queue's head: of the provider, after the cursor, by
  /// priority (highest first), then due. They stay `deferred` in the ledger until the engine decides.
  /// Answered by ``Event/taken(_:)``.
  case take(ProviderName, after: QueuePosition?, limit: Int, pass: UInt64)
  /// Finds deferred entries whose time is over. Answered by ``Event/swept(_:)``.
  case sweep(before: WallTime)
  /// Looks up runs that a request is about. Answered by ``Event/found(_:_:)``, without those that are not
  /// there.
  case find([RunID], RequestID)
}

/// How far a job's schedule has been worked through: a row of the ledger's `jobs` table.
public struct JobProgress: Hashable, Sendable {
  /// Every calendar due up to here has been decided.
  public var calendarThrough: WallTime
  /// The latest due of each interval, by its length: the anchor of the next.
  public var intervalAnchors: [Duration: Moment] = [:]
  public var isPaused = false

  public init(calendarThrough: WallTime) { self.calendarThrough = calendarThrough }
}

/// A place in the foreground queue's order.
public struct QueuePosition: Hashable, Comparable, Sendable {
  public var priority: Int
  public var dueAt: WallTime
  public var id: RunID

  public init(priority: Int, dueAt: WallTime, id: RunID) {
    self.priority = priority
    self.dueAt = dueAt
    self.id = id
  }

  public init(_ record: RunRecord) {
    self.init(priority: record.priority, dueAt: record.dueAt, id: record.id)
  }

  /// Whether `left` is drained before `right`.
  public static func < (left: QueuePosition, right: QueuePosition) -> Bool {
    (right.priority, left.dueAt, left.id) < (left.priority, right.dueAt, right.id)
  }
}

/// What the store answers to the writes of a turn.
public enum StoreAnswer: Hashable, Sendable {
  case stamped(RunID, isNew: Bool)
  case taken(TakenEntries)
  case swept(SweptEntries)
  case found([RunRecord], RequestID)
}

/// The answer to ``StoreWrite/take(_:after:limit:pass:)``.
public struct TakenEntries: Hashable, Sendable {
  public var provider: ProviderName
  /// The number of the drain that asked, given back.
  public var pass: UInt64
  public var entries: [RunRecord]
  /// Whether the queue had no further entry after these.
  public var isExhausted: Bool

  public init(provider: ProviderName, pass: UInt64, entries: [RunRecord], isExhausted: Bool) {
    self.provider = provider
    self.pass = pass
    self.entries = entries
    self.isExhausted = isExhausted
  }
}

/// The answer to ``StoreWrite/sweep(before:)``.
public struct SweptEntries: Hashable, Sendable {
  /// At most 1,000; the next sweep finds the rest.
  public var expired: [RunRecord]
  /// The earliest `deferredUntil` that remains.
  public var next: WallTime?

  public init(expired: [RunRecord], next: WallTime?) {
    self.expired = expired
    self.next = next
  }
}

/// What the ledger tells a starting daemon.
public struct Recovery: Hashable, Sendable {
  public var progress: [JobID: JobProgress] = [:]
  /// Every record whose state is not final and not `deferred`.
  public var open: [RunRecord] = []
  /// Per job, how many entries are in the foreground queue, and the one that coalescing would replace.
  public var deferred: [JobID: DeferredSummary] = [:]
  /// The earliest `deferredUntil` in the queue.
  public var nextExpiry: WallTime?
  /// The latest refusals of access tokens, oldest first: what was refused must not be handed out again.
  public var refusals: [TokenRefusal] = []

  public init() {}
}

/// A run ended with exit 77 (EX_NOPERM): the service refused its access token.
public struct TokenRefusal: Hashable, Sendable {
  public var provider: ProviderName
  /// The access token's number.
  public var generation: UInt64
  public var at: Moment

  public init(provider: ProviderName, generation: UInt64, at moment: Moment) {
    self.provider = provider
    self.generation = generation
    at = moment
  }
}

/// A job's share of the foreground queue.
public struct DeferredSummary: Hashable, Sendable {
  public var provider: ProviderName
  public var count: Int
  /// The entry with the latest due.
  public var latest: RunRecord

  public init(provider: ProviderName, count: Int, latest: RunRecord) {
    self.provider = provider
    self.count = count
    self.latest = latest
  }
}
