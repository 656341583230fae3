import ControlProtocol
import LinuxPlatform
import Scheduling

@testable import ControlTool

/// The tool in a world of a test's own: its folders, its clock, its terminal.
final class Stage {
  let folder = TemporaryFolder()
  private(set) var output = ""
  private(set) var complaints = ""
  private(set) var launch: Surroundings.Launch?
  var terminal = Terminal.plain
  var input: [String] = []
  var now = Samples.now
  var zone = TimeZoneRules.utc

  /// Runs a command line and returns its exit status.
  func run(_ arguments: String...) -> Int32 {
    var tool = Tool(surroundings)
    return tool.run(arguments)
  }

  /// A daemon for the next command.
  func daemon(_ steps: ScriptedDaemon.Step...) -> ScriptedDaemon {
    ScriptedDaemon(runtime: folder.path, steps)
  }

  var surroundings: Surroundings {
    Surroundings(
      environment: [
        "NIGHTLATCH_CONFIG": "\(folder.path)/config", "NIGHTLATCH_STATE": "\(folder.path)/state",
        "NIGHTLATCH_RUNTIME": folder.path, "PATH": "/first:/second",
      ],
      terminal: terminal, zone: zone, now: { self.now },
      write: { self.output += $0 }, complain: { self.complaints += $0 + "\n" },
      readLine: { self.input.isEmpty ? nil : self.input.removeFirst() },
      become: { (launch) throws(ToolError) in
        self.launch = launch
        return .success
      }, patience: .seconds(60))
  }
}
