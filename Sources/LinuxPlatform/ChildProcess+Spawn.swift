import CLinux
import Glibc

extension ChildProcess {
  /// Starts a process: own session, clean signals, no file but the given ones, standard input from
  /// `/dev/null`, and as many open files allowed as were allowed to us. Everything that can be wrong with
  /// the command is reported here, by name.
  public static func spawn(_ spec: LaunchSpec) throws(PlatformError) -> ChildProcess {
    let account = try accountToSwitchTo(spec.user)
    try checkFolder(spec.workingFolder)
    let path = try Executable.resolve(
      spec.command.first ?? "", searchPath: spec.environment.last { $0.name == "PATH" }?.value,
      folder: spec.workingFolder, account: account)
    let arguments = try CStringArray(
      account.map { switching(to: $0, path, spec.command) } ?? spec.command, what: "the command")
    let environment = try CStringArray(
      spec.environment.map { "\($0.name)=\($0.value)" }, what: "the run's environment")
    let pipes = try OutputPipes()
    defer { pipes.closeWriting() }
    do {
      var actions = try actions(for: spec, pipes)
      let pid = try OpenFileLimit.asGiven { () throws(PlatformError) in
        try actions.spawn(account == nil ? path : setpriv, arguments: arguments, environment: environment)
      }
      return try follow(pid, pipes)
    } catch {
      pipes.closeReading()
      throw error
    }
  }

  /// setpriv(1) from util-linux, which every Debian and Ubuntu has: changing users between fork and
  /// exec is not in posix_spawn(3)'s power.
  private static let setpriv = "/usr/bin/setpriv"

  private static func switching(to account: Account, _ path: String, _ command: [String]) -> [String] {
    [
      setpriv, "--reuid", "\(account.uid)", "--regid", "\(account.gid)", "--init-groups",
      "--inh-caps=-all", "--", path,
    ] + command.dropFirst()
  }

  /// nil when the process already runs as that user.
  private static func accountToSwitchTo(_ user: String?) throws(PlatformError) -> Account? {
    guard let user else { return nil }
    let account = try Account(named: user)
    if account.uid == geteuid() { return nil }
    guard geteuid() == 0 else { throw .cannotSwitchUser(to: user) }
    guard access(setpriv, X_OK) == 0 else { throw .commandNotFound(setpriv, searched: nil) }
    return account
  }

  private static func checkFolder(_ path: String?) throws(PlatformError) {
    guard let path else { return }
    let status = try FileStatus(following: path, to: "start in the folder '\(path)'")
    guard status.isFolder else { throw .system(attempt: "start in the folder '\(path)'", errno: ENOTDIR) }
  }

  private static func actions(
    for spec: LaunchSpec, _ pipes: OutputPipes
  ) throws(PlatformError) -> SpawnActions {
    guard spec.files.allSatisfy({ $0.number > 2 && $0.number < 1000 }) else {
      throw .unrepresentable(what: "a run's open files", why: "their numbers must be 3 to 999")
    }
    var actions = SpawnActions()
    if let folder = spec.workingFolder { actions.changeFolder(to: folder) }
    actions.open("/dev/null", as: 0, flags: O_RDONLY)
    try actions.map(spec.files + [(pipes.output.writing, 1), (pipes.errors.writing, 2)])
    return actions
  }

  /// From here on the process exists: what can't be supervised must not be left running.
  private static func follow(_ pid: Int32, _ pipes: OutputPipes) throws(PlatformError) -> ChildProcess {
    let pidfd = nl_pidfd_open(pid)
    guard pidfd >= 0 else {
      let failure = PlatformError.last("follow process \(pid), which was killed again")
      kill(-pid, SIGKILL)
      var status: Int32 = 0
      waitpid(pid, &status, 0)
      throw failure
    }
    return ChildProcess(
      pid: pid, startTicks: ProcessTable.startTicks(of: pid) ?? 0, pidfd: pidfd, isOurs: true,
      output: pipes.output.reading, errors: pipes.errors.reading)
  }
}
