import AuthModel
import Configuration
import JobEngine
import Scheduling
import Testing

private func parse(_ text: String) -> Parsed<ProviderDefinition> {
  ProviderDefinition.parse(SourceFile(path: "/etc/nightlatch/providers.d/work.toml", text: text))
}

@Test func `every key of a provider arrives`() {
  let parsed = parse(
    """
    kind = "oauth2"
    client_id = "id with spaces"
    client_auth = "client_secret_post"
    client_secret_credential = "work-secret"
    scopes = ["files.read", "urn:x:y"]
    grant = "client_credentials"
    redirect_uri = "http://[::1]:8400/done"
    id_token_signed_response_alg = "PS384"
    reuse_window = "30s"
    on_lost = "park"
    introspect_refresh_token = true
    request_timeout = "5s"
    foreground = "session"
    allow_users = ["alice", "1000"]
    allow_groups = ["mail"]
    keep_alive = "8h"
    refresh_token_lifetime = "30d"
    hooks.login_required = ["/usr/bin/tell", "log in"]
    hooks.session_lost = ["tell"]

    [endpoints]
    token = "https://auth.example:8443/token?tenant=1"
    device_authorization = "http://localhost:9480/device"
    introspection = "http://[::1]/introspect"
    revocation = "http://127.0.0.9/revoke"
    userinfo = "https://auth.example/userinfo"
    authorization = "https://auth.example/authorize?tenant=1"
    jwks = "https://auth.example/jwks"
    """)
  #expect(parsed.diagnostics == [])
  var expected = ProviderDefinition(name: ProviderName("work"), kind: .oauth2, clientID: "id with spaces")
  expected.clientAuthentication = .secretPost(.credential("work-secret"))
  expected.scopes = ["files.read", "urn:x:y"]
  expected.grant = .clientCredentials
  expected.redirect = LoopbackRedirect(host: .ipv6, port: 8400, path: "/done")
  expected.idTokenAlgorithm = .ps384
  expected.reuseWindow = .seconds(30)
  expected.onLost = .park
  expected.introspectsRefreshTokens = true
  expected.requestTimeout = .seconds(5)
  expected.foreground = .session
  expected.allowedUsers = ["alice", "1000"]
  expected.allowedGroups = ["mail"]
  expected.keepAlive = .seconds(8 * 3600)
  expected.refreshTokenLifetime = .seconds(30 * 86_400)
  expected.hooks = [.loginRequired: ["/usr/bin/tell", "log in"], .sessionLost: ["tell"]]
  expected.endpoints.token = "https://auth.example:8443/token?tenant=1"
  expected.endpoints.deviceAuthorization = "http://localhost:9480/device"
  expected.endpoints.introspection = "http://[::1]/introspect"
  expected.endpoints.revocation = "http://127.0.0.9/revoke"
  expected.endpoints.userinfo = "https://auth.example/userinfo"
  expected.endpoints.authorization = "https://auth.example/authorize?tenant=1"
  expected.endpoints.jwks = "https://auth.example/jwks"
  #expect(parsed.value == expected)
}

@Test func `an OpenID provider needs an issuer, a client id and the scope openid`() {
  let text = "kind = 'oidc'\nissuer = 'https://login.example/realm'\nclient_id = 'n'\nscopes = ['openid']"
  let parsed = parse(text)
  #expect(parsed.diagnostics == [])
  var expected = ProviderDefinition(
    name: ProviderName("work"), kind: .oidc(issuer: "https://login.example/realm"), clientID: "n")
  expected.scopes = ["openid"]
  #expect(parsed.value == expected)
}

private let authentications: [(text: String, expected: ProviderDefinition.ClientAuthentication)] = [
  ("client_secret_file = '/s'", .secretBasic(.file("/s"))),
  ("client_secret_credential = 's'", .secretBasic(.credential("s"))),
  ("client_secret_file = '/s'\nclient_auth = 'client_secret_post'", .secretPost(.file("/s"))),
  ("client_key_file = '/k'", .privateKeyJWT(.file("/k"), audience: .endpoint)),
  (
    "client_key_credential = 'k'\nassertion_audience = 'issuer'\nclient_auth = 'private_key_jwt'",
    .privateKeyJWT(.credential("k"), audience: .issuer)
  ),
  ("client_auth = 'tls_client_auth'\ntls = { certificate = '/c', key_file = '/k' }", .certificate),
  (
    "client_auth = 'self_signed_tls_client_auth'\ntls = { certificate = '/c', key_file = '/k' }", .certificate
  ),
  ("client_auth = 'none'", .none),
  ("", .none),
]

@Test(arguments: authentications)
func `a client authenticates with what it has, a secret by HTTP Basic unless told otherwise`(
  _ text: String, _ expected: ProviderDefinition.ClientAuthentication
) {
  let parsed = parse(
    "kind = 'oidc'\nissuer = 'https://a.example'\nclient_id = 'n'\nscopes = ['openid']\n\(text)")
  #expect(parsed.diagnostics == [])
  #expect(parsed.value?.clientAuthentication == expected)
}

@Test func `a provider's transport arrives`() {
  let parsed = parse(
    """
    kind = "oidc"
    issuer = "https://a.example"
    client_id = "n"
    scopes = ["openid"]
    proxy = "socks5h://127.0.0.1:1080"

    [tls]
    ca_file = "/etc/ssl/corp.pem"
    certificate = "/etc/nightlatch/client.pem"
    key_credential = "client-key"
    """)
  #expect(parsed.diagnostics == [])
  var expected = ProviderDefinition.Transport()
  expected.proxy = "socks5h://127.0.0.1:1080"
  expected.authorities = "/etc/ssl/corp.pem"
  expected.certificate = ProviderDefinition.ClientCertificate(
    file: "/etc/nightlatch/client.pem", key: .credential("client-key"))
  #expect(parsed.value?.transport == expected)
}

@Test func `a Privy app arrives, with Privy's own endpoint`() {
  let parsed = parse(
    "kind = 'privy'\napp_id = 'app'\nclient_id = 'client'\norigin = 'https://app.example'\nnative_app_identifier = 'x.y'"
  )
  #expect(parsed.diagnostics == [])
  let app = ProviderDefinition.PrivyApp(id: "app", origin: "https://app.example", nativeIdentifier: "x.y")
  var expected = ProviderDefinition(name: ProviderName("work"), kind: .privy(app), clientID: "client")
  expected.endpoints.token = "https://auth.privy.io/api/v1/sessions"
  #expect(parsed.value == expected)
  #expect(parsed.value?.isLocal == false)
}

@Test func `sources of tokens on this machine arrive`() {
  let helper = parse("kind = 'command'\ncommand = ['helper', '--json']\nrequest_timeout = '1min'")
  #expect(helper.diagnostics == [])
  #expect(helper.value?.kind == .command(["helper", "--json"]))
  #expect(helper.value?.requestTimeout == .seconds(60))
  #expect(helper.value?.isLocal == false)
  let file = parse("kind = 'static'\ntoken_file = '/run/token'\ntoken_lifetime = '1h'")
  #expect(file.diagnostics == [])
  #expect(file.value?.kind == .tokenFile(path: "/run/token", lifetime: .seconds(3600)))
  #expect(file.value?.isLocal == true)
}

@Test func `overrides arrive, the narrowest first`() {
  let parsed = parse(
    """
    kind = "oidc"
    issuer = "https://a.example"
    client_id = "n"
    scopes = ["openid"]

    [verdicts]
    "5xx" = "transient"
    "403 unauthorized_client" = "definite"
    invalid_token = "rejected"
    "501" = "configuration"
    "4xx e" = "ambiguous"
    """)
  #expect(parsed.diagnostics == [])
  #expect(
    parsed.value?.verdicts == [
      VerdictOverride(statuses: 403...403, error: "unauthorized_client", outcome: .definite),
      VerdictOverride(statuses: 400...499, error: "e", outcome: .ambiguous),
      VerdictOverride(statuses: 200...599, error: "invalid_token", outcome: .rejected),
      VerdictOverride(statuses: 501...501, outcome: .configuration),
      VerdictOverride(statuses: 500...599, outcome: .transient),
    ])
}

@Test func `every setting of the daemon arrives`() {
  let text = """
    drain_concurrency = 8
    clock_trust = "synchronized"
    foreground.when = "manual"
    hooks.session_lost = ["tell", "me"]
    ledger.keep = "2w"
    """
  let parsed = DaemonSettings.parse(SourceFile(path: "nightlatch.toml", text: text))
  #expect(parsed.diagnostics == [])
  var expected = DaemonSettings()
  expected.drainConcurrency = 8
  expected.clockTrust = .synchronized
  expected.foreground = .manual
  expected.hooks = [.sessionLost: ["tell", "me"]]
  expected.ledgerKeep = .seconds(14 * 86_400)
  #expect(parsed.value == expected)
}

private let sizes: [(text: String, bytes: UInt64?)] = [
  ("1", 1), ("'1'", 1), ("'1B'", 1), ("'1K'", 1024), ("'1 M'", 1 << 20), ("'0.5G'", 1 << 29),
  ("'1T'", 1 << 40),
  ("'1P'", 1 << 50), ("'15E'", 15 << 60), ("'15.999999999E'", 18_446_744_072_556_630_111),
  ("18446744073709551615", nil), ("'18446744073709551615'", UInt64.max), ("'18446744073709551616'", nil),
  ("'16E'", nil), ("'1.0000000000K'", nil), ("'.5K'", nil), ("'1.K'", nil), ("'1.2.3K'", nil), ("'K'", nil),
  ("''", nil), ("'-1'", nil), ("'1k'", nil), ("'٣K'", nil), ("'1KB'", nil), ("'0'", nil), ("-1", nil),
  ("1.5", nil),
]

@Test(arguments: sizes)
func `sizes are systemd's`(_ text: String, _ bytes: UInt64?) {
  let file = SourceFile(path: "j.toml", text: "command = ['true']\nlimits.memory_max = \(text)")
  #expect(JobDefinition.parse(file, zones: zones).value?.limits.memoryMax == bytes)
}
