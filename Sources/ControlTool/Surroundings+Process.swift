import Glibc
import LinuxPlatform
import Scheduling

extension Surroundings {
  /// The real world of this process.
  public static func current() -> Surroundings {
    let environment = Folders.currentEnvironment()
    return Surroundings(
      environment: environment,
      terminal: Terminal(descriptor: STDOUT_FILENO, environment: environment),
      zone: LocalZone.rules(environment: environment),
      now: { SystemClock.now() },
      write: { text in fputs(text, stdout) },
      complain: { line in
        fflush(stdout)
        fputs(line + "\n", stderr)
      },
      readLine: { Swift.readLine() },
      become: { (launch) throws(ToolError) in try execute(launch) })
  }

  private static func execute(_ launch: Launch) throws(ToolError) -> ExitCode {
    fflush(stdout)
    var arguments: [UnsafeMutablePointer<CChar>?] = launch.arguments.map { strdup($0) } + [nil]
    defer { arguments.forEach { free($0) } }
    var reason = ENOENT
    for candidate in launch.candidates {
      execv(candidate, &arguments)
      if errno != ENOENT && errno != ENOTDIR { reason = errno }
    }
    let text = reason == ENOENT ? "it is neither beside nightlatch, nor in ../lib/nightlatch, nor in PATH" : String(cString: strerror(reason))
    throw .notStarted(program: launch.arguments.first ?? "", reason: text)
  }
}
