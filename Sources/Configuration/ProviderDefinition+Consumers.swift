import AuthModel

extension ProviderDefinition {
  /// Who may have the token, and what the daemon does about the session by itself.
  mutating func readConsumers(of root: Section) {
    root.read("allow_users", .list(.userName, "an array of user names or numbers"), into: &allowedUsers)
    root.read("allow_groups", .list(.userName, "an array of group names or numbers"), into: &allowedGroups)
    for user in allowedUsers { root.look(for: .user(user), "allow_users") }
    for group in allowedGroups { root.look(for: .group(group), "allow_groups") }
    root.read("keep_alive", .timeSpan(from: .seconds(60)), into: &keepAlive)
    root.read("refresh_token_lifetime", .timeSpan(from: .seconds(60)), into: &refreshTokenLifetime)
    hooks = root.readHooks()
    guard let keepAlive, let refreshTokenLifetime, keepAlive >= refreshTokenLifetime else { return }
    root.findings.warning(
      "keep_alive is not shorter than refresh_token_lifetime, so it comes too late to keep anything alive",
      at: root.position(of: "keep_alive") ?? root.position)
  }
}

extension Section {
  /// `[hooks]`, of a provider or of the daemon: a command for each.
  func readHooks() -> [SessionHook: [String]] {
    var hooks: [SessionHook: [String]] = [:]
    section("hooks") { section in
      for hook in SessionHook.allCases {
        hooks[hook] = section.read(hook.rawValue, .arguments)
        section.look(forProgramOf: hooks[hook], hook.rawValue)
      }
    }
    return hooks
  }
}
