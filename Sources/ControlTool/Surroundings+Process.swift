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
      write: { text in Swift.print(text, terminator: "") },
      complain: { line in complain(line) },
      readLine: { nextLine() },
      become: { (launch) throws(ToolError) in try execute(launch) })
  }

  /// Whoever writes the next line may be waiting for the answer to this one.
  private static func nextLine() -> String? {
    fflush(nil)
    return Swift.readLine()
  }

  /// Standard error has no buffer; what standard output holds comes first.
  private static func complain(_ line: String) {
    fflush(nil)
    var rest = Array((line + "\n").utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  private static func execute(_ launch: Launch) throws(ToolError) -> ExitCode {
    fflush(nil)
    var arguments: [UnsafeMutablePointer<CChar>?] = launch.arguments.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var reason = ENOENT
    for candidate in launch.candidates {
      execv(candidate, &arguments)
      if errno != ENOENT && errno != ENOTDIR { reason = errno }
    }
    let text =
      reason == ENOENT
      ? "it is neither beside nightlatch, nor in ../lib/nightlatch, nor in PATH"
      : String(cString: strerror(reason))
    throw .notStarted(program: launch.arguments.first ?? "", reason: text)
  }
}
