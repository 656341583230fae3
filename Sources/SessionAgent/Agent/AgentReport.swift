/// What one verb came to, for the person or the daemon that started it.
public struct AgentReport: Hashable, Sendable {
  public var status: ExitStatus
  /// One sentence, without secrets.
  public var message: String

  public init(_ status: ExitStatus, _ message: String) {
    self.status = status
    self.message = message
  }
}
