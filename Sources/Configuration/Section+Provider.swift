import AuthModel

extension Section {
  /// `client_auth` and where the secret or the key is. Secrets themselves are refused.
  func readClientAuthentication() -> ProviderDefinition.ClientAuthentication {
    for key in ["client_secret", "client_key"] {
      refuse(
        key,
        "\(key) is not read from this file; put the secret into a file that only its owner can read and name it "
          + "with \(key)_file, or name a systemd credential with \(key)_credential")
    }
    let method = read("client_auth", .choice(ClientMethod.self))
    let audience = read("assertion_audience", .choice(ProviderDefinition.AssertionAudience.self))
    let secret = readSecretSource("client_secret")
    let key = readSecretSource("client_key")
    if has("client_auth") && method == nil { return .none }
    switch method ?? impliedMethod {
    case .none: return refuseSecrets(beside: "none", ["client_secret", "client_key"], .none)
    case .certificate, .selfSigned:
      return refuseSecrets(beside: "a TLS client certificate", ["client_secret", "client_key"], .certificate)
    case .basic:
      return refuseSecrets(
        beside: "client_secret_basic", ["client_key"],
        secret.map { .secretBasic($0) } ?? missing("client_secret"))
    case .post:
      return refuseSecrets(
        beside: "client_secret_post", ["client_key"],
        secret.map { .secretPost($0) } ?? missing("client_secret"))
    case .assertion:
      let authentication =
        key.map { .privateKeyJWT($0, audience: audience ?? .endpoint) } ?? missing("client_key")
      return refuseSecrets(beside: "private_key_jwt", ["client_secret"], authentication)
    }
  }

  /// Whether a file or a credential is named for `key`, or the secret itself is there.
  func hasSecret(_ key: String) -> Bool {
    has("\(key)_file") || has("\(key)_credential") || has(key)
  }

  /// `KEY_file` or `KEY_credential`.
  func readSecretSource(_ key: String) -> ProviderDefinition.SecretSource? {
    let file = read("\(key)_file", .secretPath)
    let credential = read("\(key)_credential", .credentialName)
    if let file { look(for: .secret(file), "\(key)_file") }
    if let credential { look(for: .credential(credential), "\(key)_credential") }
    if has("\(key)_file"), let position = position(of: "\(key)_credential") {
      report(
        "\(key)_credential is set as well as \(key)_file, but a secret has one source", at: position)
    }
    return file.map { .file($0) } ?? credential.map { .credential($0) }
  }

  private var impliedMethod: ClientMethod {
    if has("client_secret_file") || has("client_secret_credential") { return .basic }
    return has("client_key_file") || has("client_key_credential") ? .assertion : .none
  }

  /// Reports that the chosen method has nothing to authenticate with, unless that was reported already.
  private func missing(_ key: String) -> ProviderDefinition.ClientAuthentication {
    if let position = position(of: "client_auth"), !hasSecret(key),
      let method = read("client_auth", .choice(ClientMethod.self))
    {
      report(
        "client_auth is \(method.rawValue.quoted), but there is neither \(key)_file nor \(key)_credential",
        at: position)
    }
    return .none
  }

  private func refuseSecrets(
    beside method: String, _ keys: [String], _ authentication: ProviderDefinition.ClientAuthentication
  ) -> ProviderDefinition.ClientAuthentication {
    for key in keys where has("\(key)_file") || has("\(key)_credential") {
      let what = key == "client_key" ? "key" : "secret"
      report(
        "client_auth is \(method.quoted), but a client \(what) is named",
        at: position(of: "client_auth") ?? position(of: "\(key)_file") ?? position(of: "\(key)_credential"))
    }
    return authentication
  }
}

/// The names of RFC 7591 section 2, `token_endpoint_auth_method`, and of RFC 8705 section 2.
private enum ClientMethod: String, CaseIterable {
  case none
  case basic = "client_secret_basic"
  case post = "client_secret_post"
  case assertion = "private_key_jwt"
  case certificate = "tls_client_auth"
  case selfSigned = "self_signed_tls_client_auth"
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
