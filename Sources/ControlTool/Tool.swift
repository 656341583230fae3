import ControlProtocol
import LinuxPlatform

/// The program `nightlatch`.
public struct Tool {
  private var surroundings: Surroundings
  private let reader = CommandLineReader(commands: CommandTable.commands)

  /// What `--version` prints.
  public nonisolated static let version = ServiceInfo.currentVersion

  public init(_ surroundings: Surroundings) { self.surroundings = surroundings }

  /// Runs one command line, without the program's own name, and returns the exit status.
  public mutating func run(_ arguments: [String]) -> Int32 {
    do throws(ToolError) {
      return try perform(try reader.read(arguments)).rawValue
    } catch {
      surroundings.complain("nightlatch: \(error)")
      return error.exitCode.rawValue
    }
  }

  private mutating func perform(_ wish: CommandLineReader.Wish) throws(ToolError) -> ExitCode {
    switch wish {
    case .run(let invocation):
      surroundings.folders = try folders(of: invocation)
      return try invocation.command.action(invocation, surroundings)
    case .help(let command):
      surroundings.write(command.map(HelpText.of) ?? HelpText.overview(reader.commands))
    case .version: surroundings.print("nightlatch \(Self.version)")
    case .overview:
      surroundings.complain(HelpText.overview(reader.commands))
      return .usage
    }
    return .success
  }

  private func folders(of invocation: Invocation) throws(ToolError) -> Folders {
    if invocation.has(.system), invocation.has(.user) {
      throw .usage("--system and --user are two daemons; name one", command: invocation.command.name)
    }
    var arguments: [String] = []
    for option in [CommandOption.system, .user] where invocation.has(option) {
      arguments.append("--" + option.name)
    }
    for option in [CommandOption.config, .state, .runtime] {
      if let folder = invocation.value(of: option) { arguments += ["--" + option.name, folder] }
    }
    do {
      return try Folders.parse(arguments, environment: surroundings.environment).folders
    } catch {
      throw .usage(error.description, command: invocation.command.name)
    }
  }
}
