import LinuxPlatform

/// What the names of the configuration's files tell, without reading them and without the daemon.
enum ConfigurationFiles {
  /// The names of the `*.toml` files of some folders.
  static func names(in folders: [String]) throws(ToolError) -> [String] {
    let (paths, failures) = SourceFiles.list(folders: folders)
    if let failure = failures.first {
      throw .configuration(
        "What is configured can't be told: \(failure.message). Run this as a user who may read it, or name what you mean."
      )
    }
    return paths.keys.sorted()
  }

  /// Refuses the name of a provider that is not there. Where nobody can tell, or there is none at all, whoever is
  /// asked next says more.
  static func checkProvider(_ name: String, _ world: Surroundings) throws(ToolError) {
    let known = (try? names(in: world.folders.providers)) ?? []
    guard known.isEmpty || known.contains(name) else {
      throw .noSuchProvider(name, hint: suggestion(for: name, among: known))
    }
  }

  /// The provider that was named, or the only one there is.
  static func provider(
    named name: String?, for command: Command, _ world: Surroundings
  ) throws(ToolError) -> String {
    if let name {
      try checkProvider(name, world)
      return name
    }
    let known = try names(in: world.folders.providers)
    if known.count == 1 { return known[0] }
    throw .usage(
      known.isEmpty
        ? "there is no provider yet: put a file in \(world.folders.configuration)/providers.d, see nightlatch-provider(5)"
        : "\(command.name) needs one of the providers \(known.joined(separator: ", "))",
      command: command.name)
  }
}
