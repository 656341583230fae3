import Glibc
import LinuxPlatform

extension Surroundings {
  /// Where a program may be: each folder of `PATH`.
  func candidates(inPathFor program: String) -> [String] {
    let path = environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"
    return path.split(separator: ":").filter { $0.hasPrefix("/") }.map { "\($0)/\(program)" }
  }

  /// Where one of our own programs may be: beside this one, where packages put it, or in `PATH`.
  func candidates(besideFor program: String) -> [String] {
    let beside = ownFolder.map { ["\($0)/\(program)", "\($0)/../lib/nightlatch/\(program)"] } ?? []
    return beside + candidates(inPathFor: program)
  }

  private var ownFolder: String? {
    guard let file = realpath("/proc/self/exe", nil) else { return nil }
    defer { free(file) }
    return String(cString: file).lastIndex(of: "/").map { String(String(cString: file)[..<$0]) }
  }

  /// The options that lead another of our programs to the same folders. The defaults are left to it: they
  /// include the vendor's configuration, which a named folder replaces.
  var folderOptions: [String] {
    let mode = folders.mode == .system ? "--system" : "--user"
    let configuration = folders.vendor == nil ? ["--config", folders.configuration] : []
    return [mode] + configuration + ["--state", folders.state, "--runtime", folders.runtime]
  }
}
