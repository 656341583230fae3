/// A place in a text file. Both count from 1; columns count Unicode scalars.
public struct SourcePosition: Hashable, Comparable, Sendable {
  public var line: Int
  public var column: Int

  public init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  public static func < (left: SourcePosition, right: SourcePosition) -> Bool {
    (left.line, left.column) < (right.line, right.column)
  }
}

/// One thing that is wrong, or looks wrong, in a configuration file.
public struct Diagnostic: Hashable, Sendable, CustomStringConvertible {
  public var path: String
  /// Nil when the file as a whole is meant.
  public var position: SourcePosition?
  public var severity: Severity
  /// One sentence without its full stop: what was found, what was expected, the nearest known name.
  /// Never quotes a value that may be a secret.
  public var message: String

  public init(path: String, position: SourcePosition?, severity: Severity, message: String) {
    self.path = path
    self.position = position
    self.severity = severity
    self.message = message
  }

  /// From the least to the worst.
  public enum Severity: Hashable, Comparable, Sendable {
    /// Whether something is wrong could not be found out.
    case note
    /// The definition is used as written.
    case warning
    /// The file's definition is not used.
    case error
  }

  /// `path:line:column: error: message`, as compilers print it.
  public var description: String {
    let place = position.map { "\(path):\($0.line):\($0.column)" } ?? path
    return "\(place): \(severity): \(message)"
  }
}

/// What became of one file.
public struct Parsed<Value: Sendable>: Sendable {
  /// Nil when there is at least one error.
  public var value: Value?
  /// In the order of the file.
  public var diagnostics: [Diagnostic]
}

extension Parsed: Equatable where Value: Equatable {}
