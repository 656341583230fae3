import ControlProtocol

/// What is wrong with a file, as compilers print it.
enum DiagnosticDisplay {
  static func line(_ diagnostic: ControlProtocol.Diagnostic, _ world: Surroundings) -> String {
    let place =
      diagnostic.line > 0 ? "\(diagnostic.path):\(diagnostic.line):\(diagnostic.column)" : diagnostic.path
    let severity = world.styled(diagnostic.severity.rawValue, style(diagnostic.severity))
    return "\(place.printable): \(severity): \(diagnostic.message.printable)"
  }

  private static func style(_ severity: ControlProtocol.Diagnostic.Severity) -> Style {
    switch severity {
    case .error: .bad
    case .warning: .warning
    case .note: .dim
    }
  }

  static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
}
