/// What the daemon answers: one case for each shape of reply.
///
/// The bodies (``StatusReply``, ``JobsReply``, ...) are what a client decodes with
/// ``ControlReply/decode(_:from:)``.
public enum ControlReply: Hashable, Sendable {
  case status(Status)
  case jobs([Job])
  case queue([Run], total: Int)
  case runs([Run])
  /// `GetRun`.
  case details(Run, [Attempt])
  /// `Why`.
  case explanation(Run, [Attempt], [String])
  /// `RunJob`.
  case run(Run)
  /// The runs that are cancelled now.
  case cancelled([String])
  case providers([Provider])
  case token(String, expires: Timestamp?)
  case reloaded(jobs: Int, providers: Int, [Diagnostic])
  /// `Pause`, `Resume`, `NetworkRestored`.
  case done
  case info(ServiceInfo)
  case interfaceDescription(String)
  case failure(ProtocolError)
}
