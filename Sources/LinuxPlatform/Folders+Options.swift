import Glibc

nonisolated extension Folders {
  /// Reads `--user`, `--system`, `--config DIR`, `--state DIR` and `--runtime DIR` (also
  /// `--config=DIR`), then `NIGHTLATCH_CONFIG`, `_STATE` and `_RUNTIME`, and returns what is left of
  /// the arguments, in order. Nothing after `--` is touched. Without `--user` or `--system`, root means
  /// the system and everyone else themselves; `isRoot` stands in for the question in tests.
  public static func parse(
    _ arguments: [String], environment: [String: String] = currentEnvironment(),
    isRoot: Bool? = nil
  ) throws(PlatformError) -> (folders: Folders, rest: [String]) {
    var mode: Mode = isRoot ?? (geteuid() == 0) ? .system : .user
    var named: [String: String] = [:]
    var rest: [String] = []
    var index = 0
    while index < arguments.count {
      let argument = arguments[index]
      index += 1
      if argument == "--" {
        rest += arguments[(index - 1)...]
        break
      }
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(parts.first ?? "")
      switch name {
      case "--user" where parts.count == 1: mode = .user
      case "--system" where parts.count == 1: mode = .system
      case "--config", "--state", "--runtime":
        var value = parts.count == 2 ? String(parts[1]) : nil
        if value == nil, index < arguments.count {
          value = arguments[index]
          index += 1
        }
        guard let value, !value.isEmpty else { throw .usage("\(name) needs a folder after it") }
        named[name] = value
      default: rest.append(argument)
      }
    }
    for (option, variable) in [
      ("--config", "NIGHTLATCH_CONFIG"), ("--state", "NIGHTLATCH_STATE"), ("--runtime", "NIGHTLATCH_RUNTIME"),
    ] where named[option] == nil {
      if let value = environment[variable], !value.isEmpty { named[option] = value }
    }
    return (try resolve(mode, named, environment), rest)
  }

  /// The XDG base folders of one user, with the specification's defaults. XDG_RUNTIME_DIR has none:
  /// `/run/user/UID` where logind made it, else a folder below the state folder.
  static func user(_ environment: [String: String]) throws(PlatformError) -> Folders {
    let home = environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? Account.current()?.home
    let folder = { (variable: String, fallback: String) -> String? in
      // "All paths set in these environment variables must be absolute ... ignore it" otherwise.
      if let value = environment[variable], value.hasPrefix("/") { return "\(value)/nightlatch" }
      return home.map { "\($0)/\(fallback)/nightlatch" }
    }
    guard let configuration = folder("XDG_CONFIG_HOME", ".config"),
      let state = folder("XDG_STATE_HOME", ".local/state")
    else {
      throw .usage("cannot tell where this user's files are: HOME is not set; use --config and --state")
    }
    return Folders(
      mode: .user, configuration: configuration, vendor: nil, state: state,
      runtime: userRuntime(environment) ?? "\(state)/run")
  }

  private static func userRuntime(_ environment: [String: String]) -> String? {
    if let value = environment["XDG_RUNTIME_DIR"], value.hasPrefix("/") { return "\(value)/nightlatch" }
    let path = "/run/user/\(geteuid())"
    guard let status = try? FileStatus(of: path), status.isFolder, status.uid == geteuid() else { return nil }
    return "\(path)/nightlatch"
  }

  private static func resolve(
    _ mode: Mode, _ named: [String: String], _ environment: [String: String]
  ) throws(PlatformError) -> Folders {
    let isWhollyNamed = ["--config", "--state", "--runtime"].allSatisfy { named[$0] != nil }
    // With all three named it does not matter who the user is.
    var folders = mode == .system || isWhollyNamed ? .system : try user(environment)
    folders.mode = mode
    if let path = named["--config"] { (folders.configuration, folders.vendor) = (absolute(path), nil) }
    if let path = named["--state"] { folders.state = absolute(path) }
    if let path = named["--runtime"] { folders.runtime = absolute(path) }
    return folders
  }

  /// The daemon and its runs have other working folders than the person who typed the path.
  private static func absolute(_ path: String) -> String {
    let trimmed = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    guard !trimmed.hasPrefix("/"), let folder = getcwd(nil, 0) else { return trimmed }
    defer { free(folder) }
    return "\(String(cString: folder))/\(trimmed)"
  }

  /// This process's environment, read once by each program's `main`.
  public static func currentEnvironment() -> [String: String] {
    var environment: [String: String] = [:]
    var next = Glibc.environ
    while let entry = next.pointee {
      let parts = String(cString: entry).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if parts.count == 2 { environment[String(parts[0])] = String(parts[1]) }
      next += 1
    }
    return environment
  }
}
