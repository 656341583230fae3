public import AuthModel
public import JobEngine
public import Scheduling

/// What a client can ask of the daemon: one case for each method, its parameters already checked.
public enum ControlCall: Hashable, Sendable {
  case status
  case listJobs(JobID?)
  case listQueue(job: JobID?, provider: ProviderName?, limit: Int?)
  case listRuns(job: JobID?, state: RunState?, limit: Int?)
  case getRun(RunID)
  case why(RunSelection)
  case runJob(JobID, wait: Bool)
  case cancel(CancelSelection)
  case pause(JobID)
  case resume(JobID)
  case foreground(ProviderName?, wait: Bool)
  case listAuth(ProviderName?)
  /// `wait`: how long to wait for a foreground phase to bring a token when there is none.
  case getToken(ProviderName, minValid: Duration?, wait: Duration?)
  case reload
  case networkRestored

  // org.varlink.service: answered by ``ServiceInfo/reply(to:)``.
  case getInfo
  case getInterfaceDescription(String)

  /// Names a run.
  public enum RunSelection: Hashable, Sendable {
    case run(RunID)
    /// The job's run of a due.
    case due(JobID, WallTime)
    /// The job's newest run.
    case newest(JobID)
  }

  public enum CancelSelection: Hashable, Sendable {
    case run(RunID)
    /// Every run of the job that has not ended.
    case job(JobID)
  }
}
