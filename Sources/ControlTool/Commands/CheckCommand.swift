import AuthModel
import Configuration
import ControlProtocol
import JobEngine
import LinuxPlatform
import Scheduling

/// `nightlatch check [FILE...]`
enum CheckCommand {
  nonisolated static let command = Command(
    name: "check", group: .configuration, summary: "Check configuration files without the daemon",
    operands: [Operand("FILE", .any, completion: .files)], options: [.json],
    discussion: [
      "Prints every error and warning of the files, or of the whole configuration. A file in a folder named providers.d is read as a provider, nightlatch.toml as the daemon's settings, anything else as a job."
    ],
    exitCodes: [.success, .failure],
    action: run)

  static func run(_ invocation: Invocation, _ world: Surroundings) throws(ToolError) -> ExitCode {
    let checked =
      invocation.operands.isEmpty
      ? ConfigurationCheck(folders: world.folders)
      : ConfigurationCheck(files: invocation.operands, folders: world.folders)
    let diagnostics = checked.diagnostics.map { ControlProtocol.Diagnostic($0) }
    if invocation.has(.json) {
      world.print(json: Report(jobs: checked.jobs, providers: checked.providers, diagnostics: diagnostics))
    } else {
      for diagnostic in diagnostics { world.print(DiagnosticDisplay.line(diagnostic, world)) }
      world.print(summary(of: checked))
    }
    return checked.hasErrors ? .failure : .success
  }

  /// The same shape as the daemon's answer to a reload.
  private struct Report: Encodable {
    var jobs: Int
    var providers: Int
    var diagnostics: [ControlProtocol.Diagnostic]
  }

  private static func summary(of checked: ConfigurationCheck) -> String {
    let (errors, warnings) = (checked.count(of: .error), checked.count(of: .warning))
    let good =
      "\(DiagnosticDisplay.count(checked.jobs, "good job")), \(DiagnosticDisplay.count(checked.providers, "good provider"))"
    let bad = [(errors, "error"), (warnings, "warning")].filter { $0.0 > 0 }.map {
      DiagnosticDisplay.count($0.0, $0.1)
    }
    return ([good] + bad).joined(separator: ", ") + "."
  }
}
