import AuthModel
import Configuration
import ControlProtocol
import JobEngine
import LinuxPlatform
import Scheduling

/// `nightlatch check [FILE...]`
enum CheckCommand {
  nonisolated static let filesOnly = CommandOption(
    "files-only", help: "Judge the files alone, whatever this machine has or lacks")
  nonisolated static let strict = CommandOption(
    "strict", help: "Exit with 1 if there is as much as a warning")

  nonisolated static let command = Command(
    name: "check", group: .configuration, summary: "Check configuration files without the daemon",
    operands: [Operand("FILE", .any, completion: .files)], options: [filesOnly, strict, .json],
    discussion: [
      "Prints every error and warning of the files, or of the whole configuration. A file in a folder named providers.d is read as a provider, nightlatch.toml as the daemon's settings, anything else as a job.",
      "What will fail when it is used, because this machine does not have it, is a warning: a user or group, a working folder, a program that is missing or not executable, a secret that is missing or that others may read. It may come later, or the files may be for another machine: --files-only does not look. What this user is not permitted to see is a note, and root sees it.",
      "Exits with 1 if there is an error, and with --strict also if there is a warning; notes change nothing. For continuous integration: nightlatch check --strict --files-only FILE...",
      "Notes also name the next two clock changes that touch a job's schedule, and what happens then; they are no mistakes.",
    ],
    exitCodes: [.success, .failure, .configuration],
    action: run)

  static func run(_ invocation: Invocation, _ world: Surroundings) throws(ToolError) -> ExitCode {
    if invocation.operands.isEmpty { try checkThatThereIs(world.folders.configuration) }
    let machine = Machine(for: world.folders.mode)
    let lookout: Lookout? = invocation.has(filesOnly) ? nil : { machine.look(for: $0) }
    let checked =
      invocation.operands.isEmpty
      ? ConfigurationCheck(folders: world.folders, lookout: lookout)
      : ConfigurationCheck(files: invocation.operands, folders: world.folders, lookout: lookout)
    let diagnostics = checked.diagnostics.map { ControlProtocol.Diagnostic($0) }
    let notes = checked.notes(after: world.now().wall)
    if invocation.has(.json) {
      world.print(
        json: Report(
          jobs: checked.jobs, providers: checked.providers, diagnostics: diagnostics,
          notes: notes.map { Note(job: $0.job.description, anomaly: CalendarReport.Anomaly($0.anomaly)) }))
    } else {
      for diagnostic in diagnostics { world.print(DiagnosticDisplay.line(diagnostic, world)) }
      for note in notes { world.print("\(note.job): \(world.styled("note", .dim)): \(note.anomaly.text)") }
      world.print(summary(of: checked))
    }
    let isBad = checked.count(of: .error) > 0 || invocation.has(strict) && checked.count(of: .warning) > 0
    return isBad ? .failure : .success
  }

  private static func checkThatThereIs(_ folder: String) throws(ToolError) {
    do { _ = try FileStatus(of: folder) } catch {
      if error.isAbsence { throw .configuration("There is no folder \(folder) that could be checked.") }
    }
  }

  /// The same shape as the daemon's answer to a reload, and the notes.
  private struct Report: Encodable {
    var jobs: Int
    var providers: Int
    var diagnostics: [ControlProtocol.Diagnostic]
    var notes: [Note]
  }

  private struct Note: Encodable {
    var job: String
    var anomaly: CalendarReport.Anomaly
  }

  private static func summary(of checked: ConfigurationCheck) -> String {
    let (errors, warnings) = (checked.count(of: .error), checked.count(of: .warning))
    let good =
      "\(DiagnosticDisplay.count(checked.jobs, "good job")), \(DiagnosticDisplay.count(checked.providers, "good provider"))"
    let bad = [(errors, "error"), (warnings, "warning")].filter { $0.0 > 0 }.map {
      DiagnosticDisplay.count($0.0, $0.1)
    }
    let hidden = checked.count(of: .note)
    let unseen = hidden > 0 ? ["\(hidden) not seen"] : []
    return ([good] + bad + unseen).joined(separator: ", ") + "."
  }
}
