import AuthModel
public import JobEngine
import Scheduling

/// A job file and what its job is doing, as the control protocol tells it.
public struct Job: Codable, Hashable, Sendable {
  public var job: String
  public var description: String?
  public var kind: String
  /// One line: a shell script, or the program and its arguments with spaces between.
  public var command: String
  /// Each trigger in its canonical form.
  public var schedule: [String]
  public var timezone: String
  public var provider: String?
  public var requires: String
  public var paused = false
  public var state: State = .idle
  public var nextDue: Timestamp?
  public var running = 0
  public var waiting = 0
  public var deferred = 0
  public var last: Run?
  public var file: String
  public var problem: String?

  public enum State: String, Codable, Hashable, Sendable {
    case idle, waiting, deferred, running, paused, problem
  }

  /// What the definition says; the caller adds what the job is doing.
  public init(_ definition: JobDefinition, file: String) {
    self.job = definition.id.description
    self.description = definition.description
    self.kind = definition.kind.rawValue
    self.command =
      switch definition.command {
      case .arguments(let arguments): arguments.joined(separator: " ")
      case .shell(let script): script
      }
    self.schedule = definition.schedule.canonical
    self.timezone = definition.schedule.zone.name
    self.provider = definition.auth.provider?.description
    self.requires = definition.auth.requires.rawValue
    self.file = file
  }

  /// A file that has never been good: a job with a problem and no definition.
  public init(_ id: JobID, file: String, problem: String) {
    self.job = id.description
    self.kind = ""
    self.command = ""
    self.schedule = []
    self.timezone = ""
    self.requires = ""
    self.state = .problem
    self.file = file
    self.problem = problem
  }

  private enum CodingKeys: String, CodingKey {
    case job, description, kind, command, schedule, timezone, provider, requires, paused, state
    case running, waiting, deferred, last, file, problem
    case nextDue = "next_due"
  }
}
