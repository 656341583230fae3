public import AuthModel
public import Scheduling

/// Names a job: the file name of `jobs.d/IDENTIFIER.toml` without its ending, in reverse-DNS style.
public struct JobID: Hashable, Comparable, Sendable, CustomStringConvertible {
  public var description: String

  public init(_ description: String) { self.description = description }

  public static func < (left: JobID, right: JobID) -> Bool { left.description < right.description }
}

/// One job file, understood and checked.
public struct JobDefinition: Hashable, Sendable {
  public var id: JobID
  public var description: String?
  public var kind: Kind = .appRefresh
  public var command: Command
  /// The account the job runs as; nil: the daemon's own.
  public var user: String?
  /// Nil: the account's home folder.
  public var workingDirectory: String?
  public var environment: [String: String] = [:]
  /// Higher starts first when several deferred runs wait. Default 0.
  public var priority: Int = 0
  public var schedule = Schedule()
  public var auth = AuthPolicy()
  public var constraints = Constraints()
  public var limits: Limits
  public var retry = RetryPolicy()
  public var overlap: OverlapPolicy = .skip
  public var onInterrupted: InterruptedPolicy = .rerun

  public init(id: JobID, kind: Kind = .appRefresh, command: Command) {
    self.id = id
    self.kind = kind
    self.command = command
    self.limits = Limits(kind: kind)
  }

  /// BGTaskScheduler's two kinds of background work.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// Short: 30 seconds unless the file says otherwise.
    case appRefresh = "app-refresh"
    /// Long: an hour unless the file says otherwise.
    case processing
  }

  public enum Command: Hashable, Sendable {
    /// The program and its arguments; the first is a path or is looked up in `PATH`. Never empty.
    case arguments([String])
    /// A script for `/bin/sh -c`.
    case shell(String)
  }

  public struct Limits: Hashable, Sendable {
    public var timeLimit: Duration
    /// Between SIGTERM and SIGKILL.
    public var grace: Duration = .seconds(10)
    /// Bytes; needs a runner with cgroups.
    public var memoryMax: UInt64?

    public init(kind: Kind) { timeLimit = kind == .appRefresh ? .seconds(30) : .seconds(3600) }
  }

  /// `overlap`: what happens to a due while an earlier run of the job has not ended.
  public enum OverlapPolicy: String, Hashable, Sendable, CaseIterable {
    case skip, queue, replace, allow
  }

  /// `on_interrupted`: what happens to a due whose run was cut off by a crash or a shutdown.
  public enum InterruptedPolicy: String, Hashable, Sendable, CaseIterable {
    case rerun
    case giveUp = "give-up"
  }
}

/// `[auth]`: what a job needs of a session, and what happens when it is not there.
public struct AuthPolicy: Hashable, Sendable {
  /// Never nil when ``requires`` is not ``Requirement/none``.
  public var provider: ProviderName?
  public var requires: Requirement = .none
  public var minTokenLifetime: Duration = .seconds(60)
  public var onUnauthenticated: ClosedPolicy = .skip
  public var onNotReady: ClosedPolicy = .defer
  /// How long a deferred run stays in the foreground queue before its verdict is `expired`.
  public var deferFor: Duration = .seconds(24 * 3600)
  public var coalesce: CoalescePolicy = .latest
  /// Bounds the job's entries in the foreground queue under ``CoalescePolicy/all``.
  public var maxDeferred: Int = 1000
  public var deliver: TokenDelivery = .file

  public init() {}

  public enum Requirement: String, Hashable, Sendable, CaseIterable {
    /// Runs whatever the session.
    case none
    /// A user is logged in; no token needed.
    case session
    /// Needs a valid access token.
    case verified
  }

  public enum ClosedPolicy: String, Hashable, Sendable, CaseIterable {
    case skip, `defer`
  }

  /// `coalesce`: which of a job's deferred dues stay queued.
  public enum CoalescePolicy: String, Hashable, Sendable, CaseIterable {
    case latest, earliest, all
  }

  /// `deliver`: how a run receives its access token.
  public enum TokenDelivery: Hashable, Sendable {
    /// A 0400 file that `NIGHTLATCH_TOKEN_FILE` names.
    case file
    /// A sealed memory file whose number is in `NIGHTLATCH_TOKEN_FD`.
    case fd
    /// The named environment variable. Visible to the job's children and to its user's processes.
    case environment(String)
  }
}

/// `[constraints]`: conditions that a due waits for before it meets the gate.
public struct Constraints: Hashable, Sendable {
  /// There is a default route.
  public var network = false
  public var externalPower = false
  /// Percent, 1 to 100.
  public var batteryMin: Int?
  /// How long a due waits before its verdict is `expired`.
  public var wait: Duration = .seconds(24 * 3600)
  public var onLost: LostPolicy = .continue

  public init() {}

  /// What happens to a run when a condition is lost under way.
  public enum LostPolicy: String, Hashable, Sendable, CaseIterable {
    case stop, `continue`
  }
}

/// `[retry]`: when a failed attempt is followed by another.
public struct RetryPolicy: Hashable, Sendable {
  /// Attempts in total; nil: one, or five for a job that exits with 75 (EX_TEMPFAIL).
  public var attempts: Int?
  public var backoff: Backoff = .exponential
  public var initial: Duration = .seconds(30)
  public var max: Duration = .seconds(3600)

  public init() {}

  public enum Backoff: String, Hashable, Sendable, CaseIterable {
    case constant, linear, exponential
  }
}
