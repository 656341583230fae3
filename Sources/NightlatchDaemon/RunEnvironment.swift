import AuthModel
import Glibc
import JobEngine
import LinuxPlatform
import Scheduling

/// What a run finds when it starts: its command, its environment, its folder, its open files.
///
/// Nothing of the daemon's own environment is handed on.
struct RunEnvironment {
  let spec: LaunchSpec

  init(_ launch: Launch, _ folders: Folders, _ handover: TokenHandover?) throws(PlatformError) {
    let job = launch.job
    let account =
      try job.user.map { name throws(PlatformError) in try Account(named: name) } ?? Account.current()
    var environment = Self.account(account)
    environment += launch.job.environment.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    environment += Self.run(launch) + Self.folders(folders)
    environment += handover?.environment ?? []
    spec = LaunchSpec(
      command: Self.command(job.command), environment: Self.lastOfEach(environment),
      workingFolder: job.workingDirectory ?? Self.home(account), user: job.user,
      files: handover?.files ?? [])
  }

  /// What everything that we start finds, whatever it is started for.
  static func basis(of account: Account?, _ folders: Folders) -> [(name: String, value: String)] {
    Self.account(account) + Self.folders(folders)
  }

  private static func folders(_ folders: Folders) -> [(name: String, value: String)] {
    [
      ("NIGHTLATCH_CONFIG", folders.configuration), ("NIGHTLATCH_STATE", folders.state),
      ("NIGHTLATCH_RUNTIME", folders.runtime),
    ]
  }

  /// Of a name that is there twice getenv(3) finds the first value, and a shell the last.
  private static func lastOfEach(
    _ variables: [(name: String, value: String)]
  ) -> [(name: String, value: String)] {
    var names: Set<String> = []
    return variables.reversed().filter { names.insert($0.name).inserted }.reversed()
  }

  private static func command(_ command: JobDefinition.Command) -> [String] {
    switch command {
    case .arguments(let arguments): arguments
    case .shell(let script): ["/bin/sh", "-c", script]
    }
  }

  private static func account(_ account: Account?) -> [(name: String, value: String)] {
    let path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
    guard let account else { return [("PATH", path)] }
    return [
      ("PATH", path), ("HOME", account.home), ("USER", account.name), ("LOGNAME", account.name),
      ("SHELL", account.shell.isEmpty ? "/bin/sh" : account.shell),
    ]
  }

  /// A system account's home often does not exist.
  private static func home(_ account: Account?) -> String {
    guard let account, access(account.home, X_OK) == 0 else { return "/" }
    return account.home
  }

  private static func run(_ launch: Launch) -> [(name: String, value: String)] {
    let record = launch.record
    var variables = [
      (name: "NIGHTLATCH_JOB", value: record.job.description),
      ("NIGHTLATCH_RUN", record.id.description), ("NIGHTLATCH_ATTEMPT", "\(record.attempt)"),
      ("NIGHTLATCH_DUE", record.dueAt.rfc3339),
    ]
    if let provider = record.provider { variables.append(("NIGHTLATCH_PROVIDER", provider.description)) }
    if let state = launch.authState {
      variables.append(("NIGHTLATCH_AUTH_STATE", state.name))
      if let user = state.user { variables.append(("NIGHTLATCH_USER_ID", user.id)) }
    }
    return variables
  }
}
