/// The daemon as a whole, as the control protocol tells it. The interface's `DaemonStatus`: types and methods
/// share one space of names there.
public struct Status: Codable, Hashable, Sendable {
  public var version: String
  public var pid: Int
  public var started: Timestamp
  public var mode: Mode
  public var configFolder: String
  public var stateFolder: String
  public var runtimeFolder: String
  public var jobs = 0
  public var jobsWithProblems = 0
  public var running = 0
  public var waiting = 0
  public var deferred = 0
  public var nextJob: String?
  public var nextDue: Timestamp?
  public var storeProblem: String?
  public var clockProblem: String?
  public var stopping = false
  public var providers: [Provider] = []
  public var diagnostics = 0

  public enum Mode: String, Codable, Hashable, Sendable {
    case system, user
  }

  public init(
    version: String, pid: Int, started: Timestamp, mode: Mode, configFolder: String, stateFolder: String,
    runtimeFolder: String
  ) {
    self.version = version
    self.pid = pid
    self.started = started
    self.mode = mode
    self.configFolder = configFolder
    self.stateFolder = stateFolder
    self.runtimeFolder = runtimeFolder
  }

  private enum CodingKeys: String, CodingKey {
    case version, pid, started, mode, jobs, running, waiting, deferred, stopping, providers, diagnostics
    case configFolder = "config_folder"
    case stateFolder = "state_folder"
    case runtimeFolder = "runtime_folder"
    case jobsWithProblems = "jobs_with_problems"
    case nextJob = "next_job"
    case nextDue = "next_due"
    case storeProblem = "store_problem"
    case clockProblem = "clock_problem"
  }
}
