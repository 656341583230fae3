import LinuxPlatform

/// What the names of the configuration's files tell, without reading them and without the daemon.
enum ConfigurationFiles {
  /// The names of the `*.toml` files of some folders.
  static func names(in folders: [String]) -> [String] {
    SourceFiles.load(folders: folders).sources.map(\.name)
  }

  /// The provider that was named, or the only one there is.
  static func provider(
    named name: String?, for command: Command, _ world: Surroundings
  ) throws(ToolError) -> String {
    let known = names(in: world.folders.providers)
    if let name {
      // A folder that can't be listed is no reason to doubt the name.
      guard known.isEmpty || known.contains(name) else {
        throw .noSuchProvider(name, hint: suggestion(for: name, among: known))
      }
      return name
    }
    if known.count == 1 { return known[0] }
    throw .usage(
      known.isEmpty
        ? "there is no provider yet: put a file in \(world.folders.configuration)/providers.d, see nightlatch-provider(5)"
        : "\(command.name) needs one of the providers \(known.joined(separator: ", "))",
      command: command.name)
  }
}
