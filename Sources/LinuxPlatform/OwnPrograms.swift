import Glibc

/// Nightlatch's other programs.
public nonisolated enum OwnPrograms {
  /// Where a program is: beside the one that is running, where packages put it, or in `PATH`. The bare
  /// name when it is nowhere, so that the attempt to start it says so.
  public static func path(of program: String) -> String {
    let path = getenv("PATH").map { String(cString: $0) }
    return candidates(for: program, searchPath: path).first { access($0, X_OK) == 0 } ?? program
  }

  /// Where it may be, best first.
  public static func candidates(for program: String, searchPath: String?) -> [String] {
    let folders = (searchPath ?? Executable.defaultPath).split(separator: ":").filter { $0.hasPrefix("/") }
    let inPath = folders.map { "\($0)/\(program)" }
    guard let folder = ownFolder else { return inPath }
    return ["\(folder)/\(program)", "\(folder)/../lib/nightlatch/\(program)"] + inPath
  }

  private static var ownFolder: String? {
    guard let file = realpath("/proc/self/exe", nil) else { return nil }
    defer { free(file) }
    let path = String(cString: file)
    return path.lastIndex(of: "/").map { String(path[..<$0]) }
  }
}

nonisolated extension Folders {
  /// The options that lead another of our programs to the same folders. The default configuration is left
  /// to it: it includes the vendor's, which a named folder replaces.
  public var options: [String] {
    let named = vendor == nil ? ["--config", configuration] : []
    return [mode == .system ? "--system" : "--user"] + named + ["--state", state, "--runtime", runtime]
  }
}
