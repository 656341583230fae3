import Glibc
import LinuxPlatform
import SessionAgent

// The foreground agent: see ForegroundAgent for what it does and VerdictTable for what answers mean.

let console = Console()
do {
  try ProcessHardening.apply()
  let hold = SignalHold()
  let (folders, rest) = try Folders.parse(Array(CommandLine.arguments.dropFirst()))
  let command = try ForegroundCommand(rest)
  let status = command.isHelp ? console.printHelp() : ForegroundProgram(folders, hold, console).run(command)
  exit(status.rawValue)
} catch let error as UsageError {
  console.complain("\(error); see nightlatch-foreground --help")
  exit(ExitStatus.usage.rawValue)
} catch let error as PlatformError {
  console.complain("\(error)")
  exit(ExitStatus.usage.rawValue)
} catch {
  console.complain("\(error)")
  exit(ExitStatus.internalError.rawValue)
}
