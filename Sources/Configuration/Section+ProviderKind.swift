import AuthModel

extension Section {
  /// The name of a provider's kind.
  func readKindName() -> String? {
    let names = ["oidc", "oauth2", "privy", "command", "static"]
    return require(
      "kind", .choice(names.map { ($0, $0) }), "\(names.map(\.quoted).listed(lastly: "or")) is expected")
  }

  /// What says where a provider of that kind is found.
  func readProviderKind(_ name: String?) -> ProviderDefinition.Kind? {
    let issuer = read("issuer", .issuer)
    let app = readPrivyApp()
    let command = read("command", .arguments)
    let path = read("token_file", .absolutePath)
    look(forProgramOf: command, "command")
    if let path { look(for: .file(path), "token_file") }
    let lifetime = read("token_lifetime", .timeSpan(from: .seconds(1)))
    switch name {
    case "oidc":
      expect("issuer", "a provider of kind \"oidc\" is found through its issuer's URL")
      return issuer.map { .oidc(issuer: $0) }
    case "oauth2": return .oauth2
    case "privy":
      expect("app_id", "Privy knows the app by it")
      return app.map { .privy($0) }
    case "command":
      expect("command", "the program that prints the token, and its arguments")
      return command.map { .command($0) }
    case "static":
      expect("token_file", "the file that another program keeps the token in")
      return path.map { .tokenFile(path: $0, lifetime: lifetime) }
    default: return nil
    }
  }

  private func readPrivyApp() -> ProviderDefinition.PrivyApp? {
    let id = read("app_id", .headerWord)
    let origin = read("origin", .origin)
    let native = read("native_app_identifier", .headerWord)
    return id.map { ProviderDefinition.PrivyApp(id: $0, origin: origin, nativeIdentifier: native) }
  }

  /// Empty for the kinds without a client; nil, and reported, if one is missing.
  func readClientID(of kind: String?) -> String? {
    switch kind {
    case "command", "static":
      _ = read("client_id", .nonEmpty)
      return ""
    // Privy answers "Invalid auth token" without it.
    case "privy": return require("client_id", .headerWord, "Privy knows the app's client by it")
    default:
      return require("client_id", .nonEmpty, "the provider knows this client by it")
    }
  }

  private func expect(_ key: String, _ purpose: String) {
    if !has(key) { report("\(key) is missing: \(purpose)") }
  }

  /// Refuses what is written for another kind. To be called when everything has been read.
  func refuseForeignKeys(of kind: String) {
    for (keys, kinds) in Self.homes where !kinds.contains(kind) {
      for key in keys {
        let home =
          kinds.count == 1
          ? "kind \(kinds[0].quoted)" : "the kinds \(kinds.map(\.quoted).listed(lastly: "and"))"
        refuse(key, "\(key) belongs to \(home), but kind is \(kind.quoted)")
      }
    }
  }

  /// Keys that do not belong to every kind.
  private static let homes: [(keys: [String], kinds: [String])] = [
    (["issuer"], ["oidc"]),
    (["app_id", "origin", "native_app_identifier"], ["privy"]),
    (["command"], ["command"]),
    (["token_file", "token_lifetime"], ["static"]),
    (
      [
        "client_auth", "client_secret_file", "client_secret_credential", "client_key_file",
        "client_key_credential", "assertion_audience", "scopes", "introspect_refresh_token",
        "grant", "redirect_uri", "id_token_signed_response_alg",
      ], ["oidc", "oauth2"]
    ),
    (
      ["client_id", "reuse_window", "on_lost", "proxy", "verdicts", "tls", "endpoints"],
      ["oidc", "oauth2", "privy"]
    ),
    (["request_timeout"], ["oidc", "oauth2", "privy", "command"]),
  ]
}

extension Reading<String> {
  /// What can stand in a header of its own.
  static var headerWord: Reading {
    text("printable ASCII characters without spaces") { text in
      !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }
  }
}
