import AuthModel

extension Section {
  /// `kind` and, for OpenID Connect, `issuer`.
  func readProviderKind() -> ProviderDefinition.Kind? {
    let name = require(
      "kind", .choice([("oidc", "oidc"), ("oauth2", "oauth2")]), "\"oidc\" or \"oauth2\" is expected")
    let issuer = read("issuer", .issuer)
    switch name {
    case "oidc":
      if has("issuer") { return issuer.map { .oidc(issuer: $0) } }
      report("issuer is missing: a provider of kind \"oidc\" is found through its issuer's URL")
      return nil
    case "oauth2":
      refuse(
        "issuer",
        "issuer belongs to kind \"oidc\", but kind is \"oauth2\", whose URLs are written in [endpoints]")
      return .oauth2
    default: return nil
    }
  }

  /// `client_auth` and where the secret is. Secrets themselves are refused.
  func readClientAuthentication() -> ProviderDefinition.ClientAuthentication {
    refuse(
      "client_secret",
      "client_secret is not read from this file; put the secret into a file that only its owner can read and name it "
        + "with client_secret_file, or name a systemd credential with client_secret_credential")
    let method = read("client_auth", .choice(ClientMethod.self))
    guard let source = readSecretSource() else {
      if let method, method != .none, !hasSecret {
        report(
          "client_auth is \(method.rawValue.quoted), but there is neither client_secret_file nor client_secret_credential",
          at: position(of: "client_auth"))
      }
      return .none
    }
    switch method ?? .basic {
    case .basic: return .secretBasic(source)
    case .post: return .secretPost(source)
    case .none:
      report("client_auth is \"none\", but a client secret is named", at: position(of: "client_auth"))
      return .none
    }
  }

  private var hasSecret: Bool {
    has("client_secret_file") || has("client_secret_credential") || has("client_secret")
  }

  private func readSecretSource() -> ProviderDefinition.SecretSource? {
    let file = read("client_secret_file", .secretPath)
    let credential = read("client_secret_credential", .credentialName)
    if has("client_secret_file"), let position = position(of: "client_secret_credential") {
      report(
        "client_secret_credential is set as well as client_secret_file, but a secret has one source",
        at: position)
    }
    return file.map { .file($0) } ?? credential.map { .credential($0) }
  }
}

/// The names of RFC 7591 section 2, `token_endpoint_auth_method`.
private enum ClientMethod: String, CaseIterable {
  case none
  case basic = "client_secret_basic"
  case post = "client_secret_post"
}

extension Reading<[String]> {
  static var scopes: Reading {
    let expected = "an array of scopes such as [\"openid\", \"offline_access\"]"
    // RFC 6749 section 3.3, scope-token.
    let scope = Reading<String>.text(
      "a scope of printable ASCII characters without spaces, quotes and backslashes"
    ) {
      text in
      !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x5C }
    }
    return list(scope, expected)
  }
}
