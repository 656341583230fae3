import ControlProtocol

/// What is wrong with a file, as compilers print it.
enum DiagnosticDisplay {
  static func line(_ diagnostic: ControlProtocol.Diagnostic, _ world: Surroundings) -> String {
    let place =
      diagnostic.line > 0 ? "\(diagnostic.path):\(diagnostic.line):\(diagnostic.column)" : diagnostic.path
    let severity = world.styled(diagnostic.severity.rawValue, diagnostic.severity == .error ? .bad : .warning)
    return "\(place.printable): \(severity): \(diagnostic.message.printable)"
  }

  static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
}
