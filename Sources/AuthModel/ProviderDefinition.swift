/// An identity provider and account: one file in `providers.d`.
public struct ProviderDefinition: Hashable, Sendable {
  public var name: ProviderName
  public var kind: Kind
  /// By which the provider knows this client. Empty for kinds that have no client: ``Kind/command(_:)``
  /// and ``Kind/tokenFile(path:lifetime:)``.
  public var clientID: String
  public var clientAuthentication: ClientAuthentication = .none
  public var scopes: [String] = []
  public var grant: Grant = .refreshToken
  /// Where a browser is sent after a login; nil: ``LoopbackRedirect/standard``.
  public var redirect: LoopbackRedirect?
  /// What ID tokens have to be signed with (`id_token_signed_response_alg` of OpenID Connect Dynamic Client
  /// Registration 1.0, section 2); nil: whatever is believed.
  public var idTokenAlgorithm: SigningAlgorithm?
  /// Overrides and replaces discovery, endpoint by endpoint.
  public var endpoints: Endpoints = Endpoints()
  /// How long after a spend the server still answers the same refresh token with the same pair.
  /// Zero: it treats a second use as theft.
  public var reuseWindow: Duration = .zero
  public var onLost: LostPolicy = .retry
  /// Whether ``Endpoints/introspection`` may be asked about a refresh token of unknown fate.
  public var introspectsRefreshTokens = false
  /// Bounds one request, on the boot clock.
  public var requestTimeout: Duration = .seconds(30)
  /// When a foreground phase may start; nil: the daemon's setting.
  public var foreground: ForegroundMode?
  /// How its endpoints are reached.
  public var transport = Transport()
  /// What this provider's answers mean where they mean something else than the verdict table says; the
  /// first that fits decides.
  public var verdicts: [VerdictOverride] = []
  /// Who else may have the access token from the daemon: users and groups, by name or number.
  public var allowedUsers: [String] = []
  public var allowedGroups: [String] = []
  /// A session that was not refreshed for so long is refreshed although no work needs it; nil: only work does.
  public var keepAlive: Duration?
  /// How long a refresh token lives from when it was given; nil: what the server says, if it does.
  public var refreshTokenLifetime: Duration?
  /// In place of the daemon's.
  public var hooks: [SessionHook: [String]] = [:]

  /// Why the foreground agent can't work with the file as it is now, one sentence: then this is what the file said
  /// when it was last good. Nil: it is what the file says.
  public var fileProblem: String?

  /// Whether nothing is ever spent for tokens, and nobody has to log in before the first one: they come from a
  /// helper, from a file, or to the client itself.
  public var isSupplied: Bool {
    switch kind {
    case .command, .tokenFile: true
    case .oidc, .oauth2, .privy: grant == .clientCredentials
    }
  }

  public init(name: ProviderName, kind: Kind, clientID: String) {
    self.name = name
    self.kind = kind
    self.clientID = clientID
  }

  public enum Kind: Hashable, Sendable {
    /// OpenID Connect: endpoints come from the issuer's discovery document.
    case oidc(issuer: String)
    /// Plain OAuth 2.0: endpoints are written in the file.
    case oauth2
    /// Privy's session endpoint, at ``Endpoints/token``.
    case privy(PrivyApp)
    /// An external credential helper that prints a token: a program and its arguments.
    case command([String])
    /// A file that another program rotates. `lifetime` counts from the file's modification, for tokens
    /// that do not say themselves when they expire.
    case tokenFile(path: String, lifetime: Duration?)

    /// As the provider file spells it.
    public var name: String {
      switch self {
      case .oidc: "oidc"
      case .oauth2: "oauth2"
      case .privy: "privy"
      case .command: "command"
      case .tokenFile: "static"
      }
    }
  }

  /// What a foreground phase sends to the token endpoint, in the words of RFC 6749.
  public enum Grant: String, Hashable, Sendable, CaseIterable {
    /// What a person's login has brought.
    case refreshToken = "refresh_token"
    /// The client's own credentials: no person, no refresh token, a new access token each time.
    case clientCredentials = "client_credentials"
  }

  /// An app of Privy's, as its session endpoint wants it named in headers.
  public struct PrivyApp: Hashable, Sendable {
    /// `privy-app-id`
    public var id: String
    /// `Origin`, which web clients are checked against.
    public var origin: String?
    /// `x-native-app-identifier`, which native clients are checked against.
    public var nativeIdentifier: String?

    public init(id: String, origin: String? = nil, nativeIdentifier: String? = nil) {
      self.id = id
      self.origin = origin
      self.nativeIdentifier = nativeIdentifier
    }

    /// Where sessions are renewed unless the file says otherwise.
    public static let endpoint = "https://auth.privy.io/api/v1/sessions"
  }

  /// How the client authenticates at the token endpoint (RFC 6749 section 2.3.1).
  public enum ClientAuthentication: Hashable, Sendable {
    /// A public client: `client_id` in the body.
    case none
    case secretBasic(SecretSource)
    case secretPost(SecretSource)
    /// A signed assertion (RFC 7523 section 2.2). The secret is a private key as a JWK (RFC 7517).
    case privateKeyJWT(SecretSource, audience: AssertionAudience)
    /// The TLS client certificate of ``Transport`` (RFC 8705 section 2): `client_id` in the body.
    case certificate
  }

  /// Whom a client's assertion is addressed to (RFC 7523 section 3); servers differ.
  public enum AssertionAudience: String, Hashable, Sendable, CaseIterable {
    /// The URL of the endpoint that it is sent to.
    case endpoint
    case issuer
  }

  public struct Transport: Hashable, Sendable {
    /// The URL of an HTTP or SOCKS proxy; nil: as the agent's environment says.
    public var proxy: String?
    /// A PEM file of certificates to trust in place of the system's.
    public var authorities: String?
    public var certificate: ClientCertificate?

    public init() {}
  }

  /// Who we are in a TLS handshake.
  public struct ClientCertificate: Hashable, Sendable {
    /// A PEM file: the certificate and what leads to its root.
    public var file: String
    /// Its private key, in PEM.
    public var key: SecretSource

    public init(file: String, key: SecretSource) {
      self.file = file
      self.key = key
    }
  }

  /// Where a secret comes from; never from the provider file itself.
  public enum SecretSource: Hashable, Sendable {
    /// A file readable by nobody but its owner.
    case file(String)
    /// A systemd credential, read from `$CREDENTIALS_DIRECTORY`.
    case credential(String)
  }

  public struct Endpoints: Hashable, Sendable {
    public var authorization: String?
    public var token: String?
    public var deviceAuthorization: String?
    public var introspection: String?
    public var revocation: String?
    public var userinfo: String?
    /// Where the keys are that sign ID tokens.
    public var jwks: String?

    public init() {}
  }

  /// What to do with a refresh token of unknown fate once the reuse window is over.
  public enum LostPolicy: String, Hashable, Sendable, CaseIterable {
    /// Send it exactly once more when the access token has expired.
    case retry
    /// Ask for a login instead.
    case park
  }
}

/// When foreground phases may start without being asked for by a person.
public enum ForegroundMode: String, Hashable, Sendable, CaseIterable {
  case auto
  case session
  case manual
}

extension ProviderDefinition {
  /// Nil if the kind has none.
  public var issuer: String? {
    if case .oidc(let issuer) = kind { issuer } else { nil }
  }

  /// Whether everything is on this machine, so that a phase needs no default route. What a helper
  /// needs nobody knows.
  public var isLocal: Bool {
    if case .tokenFile = kind { return true }
    var urls = [
      endpoints.authorization, endpoints.token, endpoints.deviceAuthorization, endpoints.introspection,
      endpoints.revocation, endpoints.userinfo, endpoints.jwks,
    ].compactMap { $0 }
    if let issuer { urls.append(issuer) }
    return !urls.isEmpty && urls.allSatisfy(Self.isLoopback(url:))
  }

  /// Whether a URL's host is the loopback interface: 127.0.0.0/8, `[::1]` or `localhost`.
  public static func isLoopback(url: String) -> Bool {
    guard let scheme = url.firstRange(of: "://") else { return false }
    let authority = url[scheme.upperBound...].prefix { !"/?#".contains($0) }
    guard !authority.contains("@") else { return false }
    if authority.hasPrefix("[") { return authority.prefix { $0 != "]" } == "[::1" }
    let host = authority.prefix { $0 != ":" }
    if host == "localhost" { return true }
    let octets = host.split(separator: ".", omittingEmptySubsequences: false)
    return octets.count == 4 && octets[0] == "127" && octets.allSatisfy { UInt8($0) != nil }
  }
}
