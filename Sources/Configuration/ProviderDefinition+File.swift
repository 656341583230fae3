public import AuthModel

extension ProviderDefinition {
  /// Reads one file of `providers.d`; its name is the provider's. The keys are in
  /// `config/README.md`.
  ///
  /// - Parameter lookout: Looks for secrets, files, programs, users and groups.
  public static func parse(_ file: SourceFile, lookout: Lookout? = nil) -> Parsed<ProviderDefinition> {
    file.read(lookout) { root in
      root.checkIdentifier(of: file)
      let kindName = root.readKindName()
      let kind = root.readProviderKind(kindName)
      let clientID = root.readClientID(of: kindName)
      var provider = ProviderDefinition(
        name: ProviderName(file.identifier), kind: kind ?? .oauth2, clientID: clientID ?? "")
      provider.clientAuthentication = root.readClientAuthentication()
      provider.readScopes(of: root, isOpenID: kindName == "oidc")
      provider.readLogin(of: root)
      provider.readKeys(of: root)
      provider.readConsumers(of: root)
      root.section("tls") {
        provider.transport.readKeys(of: $0)
        provider.checkClient($0, root)
      }
      root.section("endpoints") {
        provider.endpoints.readKeys(of: $0)
        if kind == .oauth2 { provider.checkEndpoints($0, root) }
      }
      if case .privy = kind, provider.endpoints.token == nil { provider.endpoints.token = PrivyApp.endpoint }
      if let kindName { root.refuseForeignKeys(of: kindName) }
      return kind == nil || clientID == nil ? nil : provider
    }
  }

  private mutating func readKeys(of root: Section) {
    root.read("reuse_window", .timeSpan(to: .seconds(86_400)), into: &reuseWindow)
    root.read("on_lost", .choice(), into: &onLost)
    root.read("introspect_refresh_token", .boolean, into: &introspectsRefreshTokens)
    root.read("request_timeout", .timeSpan(from: .seconds(1), to: .seconds(600)), into: &requestTimeout)
    root.read("foreground", .choice(), into: &foreground)
    root.read("proxy", .proxy, into: &transport.proxy)
    root.read("verdicts", .verdictOverrides, into: &verdicts)
  }

  /// How a session begins.
  private mutating func readLogin(of root: Section) {
    root.read("grant", .choice(), into: &grant)
    redirect = root.read("redirect_uri", .loopbackRedirect)
    root.read("id_token_signed_response_alg", .choice(), into: &idTokenAlgorithm)
    guard grant == .clientCredentials, clientAuthentication == .none else { return }
    // RFC 6749 section 4.4: only confidential clients.
    root.report(
      "grant is \"client_credentials\", but the client has no secret, key or certificate to prove itself with",
      at: root.position(of: "grant"))
  }

  /// Without the scope `openid` a request is not an OpenID Connect request (Core 1.0 section 3.1.2.1).
  private mutating func readScopes(of root: Section, isOpenID: Bool) {
    if let read = root.read("scopes", .scopes) { scopes = read } else if root.has("scopes") { return }
    guard isOpenID, !scopes.contains("openid") else { return }
    root.findings.warning(
      "scopes does not contain \"openid\", without which the provider does not say who logged in",
      at: root.position(of: "scopes") ?? root.position)
  }

  /// Without discovery the file has to say where everything is.
  private func checkEndpoints(_ section: Section, _ root: Section) {
    if !section.has("token") {
      section.report(
        "token is missing in [endpoints]: a provider of kind \"oauth2\" has no discovery to find it")
    }
    if grant == .refreshToken, !section.has("device_authorization"), !section.has("authorization") {
      section.findings.warning(
        "neither device_authorization nor authorization is in [endpoints], so nobody can log in except by importing a refresh token",
        at: section.position)
    }
    if introspectsRefreshTokens && !section.has("introspection") {
      root.report(
        "introspect_refresh_token is true, but there is no introspection in [endpoints] to ask",
        at: root.position(of: "introspect_refresh_token"))
    }
  }

  /// What a way to authenticate needs from elsewhere in the file.
  private func checkClient(_ tls: Section, _ root: Section) {
    if clientAuthentication == .certificate, !tls.has("certificate") {
      root.report(
        "client_auth asks for a TLS client certificate, but there is no certificate in [tls]",
        at: root.position(of: "client_auth"))
    }
    if case .privateKeyJWT(_, .issuer) = clientAuthentication, kind == .oauth2 {
      root.report(
        "assertion_audience is \"issuer\", but a provider of kind \"oauth2\" names none",
        at: root.position(of: "assertion_audience"))
    }
  }
}

extension ProviderDefinition.Endpoints {
  fileprivate mutating func readKeys(of section: Section) {
    section.read("authorization", .endpoint, into: &authorization)
    section.read("token", .endpoint, into: &token)
    section.read("device_authorization", .endpoint, into: &deviceAuthorization)
    section.read("introspection", .endpoint, into: &introspection)
    section.read("revocation", .endpoint, into: &revocation)
    section.read("userinfo", .endpoint, into: &userinfo)
    section.read("jwks", .endpoint, into: &jwks)
  }
}

extension ProviderDefinition.Transport {
  fileprivate mutating func readKeys(of section: Section) {
    section.read("ca_file", .absolutePath, into: &authorities)
    let file = section.read("certificate", .absolutePath)
    if let authorities { section.look(for: .file(authorities), "ca_file") }
    if let file { section.look(for: .file(file), "certificate") }
    let key = section.readSecretSource("key")
    if let file, let key {
      certificate = ProviderDefinition.ClientCertificate(file: file, key: key)
    } else if section.has("certificate") && !section.hasSecret("key") {
      section.report("certificate needs its private key: name it with key_file or key_credential")
    } else if section.hasSecret("key") && !section.has("certificate") {
      section.report("a key is named, but there is no certificate that it could belong to")
    }
  }
}
