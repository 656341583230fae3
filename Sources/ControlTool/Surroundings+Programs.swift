import LinuxPlatform

extension Surroundings {
  /// Where a program may be: each folder of `PATH`.
  func candidates(inPathFor program: String) -> [String] {
    let path = environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"
    return path.split(separator: ":").filter { $0.hasPrefix("/") }.map { "\($0)/\(program)" }
  }

  /// Where one of our own programs may be.
  func candidates(besideFor program: String) -> [String] {
    OwnPrograms.candidates(for: program, searchPath: environment["PATH"])
  }
}
