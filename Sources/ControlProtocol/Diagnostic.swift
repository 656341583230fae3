/// One thing that is wrong with a configuration file.
public struct Diagnostic: Codable, Hashable, Sendable {
  public var path: String
  /// Counts from 1; 0: the whole file.
  public var line: Int
  public var column: Int
  public var severity: Severity
  public var message: String

  public enum Severity: String, Codable, Hashable, Sendable {
    case error, warning
    /// Of `nightlatch check` alone: whether something is wrong could not be found out.
    case note
  }

  public init(path: String, line: Int, column: Int, severity: Severity, message: String) {
    self.path = path
    self.line = line
    self.column = column
    self.severity = severity
    self.message = message
  }
}
