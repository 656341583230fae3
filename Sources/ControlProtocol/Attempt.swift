public import JobEngine
public import Scheduling

/// One start of a run.
public struct Attempt: Codable, Hashable, Sendable {
  public var attempt: Int
  public var started: Timestamp?
  public var ended: Timestamp?
  public var outcome: String?
  public var exitCode: Int?
  public var signal: Int?
  public var reason: String?
  public var tokenGeneration: UInt64?

  public init(
    attempt: Int, started: WallTime? = nil, ended: WallTime? = nil, outcome: String? = nil,
    exit: ExitStatus? = nil, reason: String? = nil, tokenGeneration: UInt64? = nil
  ) {
    self.attempt = attempt
    self.started = started.map { Timestamp($0) }
    self.ended = ended.map { Timestamp($0) }
    self.outcome = outcome
    (self.exitCode, self.signal) = exit.map(Run.numbers(of:)) ?? (nil, nil)
    self.reason = reason
    self.tokenGeneration = tokenGeneration
  }

  private enum CodingKeys: String, CodingKey {
    case attempt, started, ended, outcome, signal, reason
    case exitCode = "exit_code"
    case tokenGeneration = "token_generation"
  }
}
