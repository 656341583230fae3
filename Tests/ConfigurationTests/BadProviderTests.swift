import Testing

private let oidc = "kind = 'oidc'\nclient_id = 'x'\nissuer = 'https://a.example'\nscopes = ['openid']\n"

let badProviders: [BadFile] = [
  BadFile(
    "",
    #"1:1: error: kind is missing: "oidc", "oauth2", "privy", "command" or "static" is expected"#,
    "1:1: error: client_id is missing: the provider knows this client by it"),
  BadFile(
    "kind = 'saml'\nclient_id = 'x'",
    #"1:8: error: kind is "saml", but one of "oidc", "oauth2", "privy", "command" or "static" is expected"#),
  BadFile(
    "kind = 'odic'\nclient_id = 'x'",
    #"1:8: error: kind is "odic", but one of "oidc", "oauth2", "privy", "command" or "static" is expected; did you mean "oidc"?"#
  ),
  BadFile(
    "kind = 'oidc'\nissuer = 'https://a.example'\nscopes = ['openid']",
    "1:1: error: client_id is missing: the provider knows this client by it"),
  BadFile(
    "kind = 'oidc'\nclient_id = ''\nscopes = ['openid']",
    #"1:1: error: issuer is missing: a provider of kind "oidc" is found through its issuer's URL"#,
    #"2:13: error: client_id is "", but a string that is not empty is expected"#),
  BadFile(
    "kind = 'oidc'\nclient_id = 'x'\nissuer = 'https://a.example'",
    #"1:1: warning: scopes does not contain "openid", without which the provider does not say who logged in"#),
  BadFile(
    "kind = 'oidc'\nclient_id = 'x'\nissuer = 'http://a.example'\nscopes = ['openid']",
    #"3:10: error: issuer is "http://a.example", but https:// is required, except to this machine (127.0.0.1, [::1], localhost)"#
  ),
  BadFile(
    "kind = 'oidc'\nclient_id = 'x'\nissuer = 'a.example'\nscopes = ['openid']",
    #"3:10: error: issuer is "a.example", but a URL that begins with https:// is expected"#),
  BadFile(
    "kind = 'oidc'\nclient_id = 'x'\nissuer = 'https://a.example?x=1'\nscopes = ['openid']",
    #"3:10: error: issuer is "https://a.example?x=1", but an issuer has no query"#),
  BadFile(
    "kind = 'oidc'\nclient_id = 'x'\nissuer = 'https://'\nscopes = ['openid']",
    #"3:10: error: issuer is "https://", but a host name, and a port from 1 to 65535 if any, are expected after ://"#
  ),
  BadFile(
    "kind = 'oidc'\nclient_id = 'x'\nissuer = 'https://a.example:70000'\nscopes = ['openid']",
    #"3:10: error: issuer is "https://a.example:70000", but a host name, and a port from 1 to 65535 if any, are expected after ://"#
  ),
  BadFile(
    "kind = 'oidc'\nclient_id = 'x'\nissuer = 'https://u:p@a.example'\nscopes = ['openid']",
    "3:10: error: issuer contains an @, but a URL without user name and password is expected"),
  BadFile(
    "kind = 'oidc'\nclient_id = 'x'\nissuer = 'https://a.example/#f'\nscopes = ['openid']",
    #"3:10: error: issuer is "https://a.example/#f", but a URL without a fragment (#...) is expected"#),
  BadFile(
    "kind = 'oidc'\nclient_id = 'x'\nissuer = 'ftp://a.example'\nscopes = ['openid']",
    #"3:10: error: issuer is "ftp://a.example", but a URL that begins with https:// is expected"#),
  BadFile(
    "kind = 'oidc'\nclient_id = 'x'\nissuer = 'https://a b'\nscopes = ['openid']",
    #"3:10: error: issuer is "https://a b", but a URL consists of printable ASCII characters, others percent-encoded"#
  ),
  BadFile(
    "kind = 'oidc'\nclient_id = 'x'\nissuer = 'http://127.0.0.1.evil.example'\nscopes = ['openid']",
    #"3:10: error: issuer is "http://127.0.0.1.evil.example", but https:// is required, except to this machine (127.0.0.1, [::1], localhost)"#
  ),
  BadFile(
    "kind = 'oidc'\nclient_id = 'x'\nissuer = 'https://a.example'\nscopes = 'openid'",
    #"4:10: error: scopes is a string, but an array of scopes such as ["openid", "offline_access"] is expected"#
  ),
  BadFile(
    "kind = 'oidc'\nclient_id = 'x'\nissuer = 'https://a.example'\nscopes = ['openid', 'a b', 1]",
    #"4:21: error: scopes is "a b", but a scope of printable ASCII characters without spaces, quotes and backslashes is expected"#,
    "4:28: error: scopes is an integer, but a scope of printable ASCII characters without spaces, quotes and backslashes is expected"
  ),
  BadFile(
    "kind = 'oidc'\nclient_id = 'x'\nissuer = 'https://a.example'\nscopes = ['openid']\nallow_users = 'alice'\nallow_groups = ['a:b', 7]\nkeep_alive = '1s'",
    "5:15: error: allow_users is a string, but an array of user names or numbers is expected",
    #"6:17: error: allow_groups is "a:b", but a user name is expected"#,
    "6:24: error: allow_groups is an integer, but a user name is expected",
    #"7:14: error: keep_alive is "1s", but a time span from 1min to 100y is expected"#),
  BadFile(
    "kind = 'oidc'\nclient_id = 'x'\nissuer = 'https://a.example'\nscopes = ['openid']\nkeep_alive = '1h'\nrefresh_token_lifetime = '1h'\nhooks.login_required = 'tell me'\nhooks.session_lost = ['bin/tell']\nhooks.session_lots = []",
    "5:14: warning: keep_alive is not shorter than refresh_token_lifetime, so it comes too late to keep anything alive",
    #"7:24: error: login_required is a string, but an array such as ["/usr/bin/program", "argument"] is expected"#,
    #"8:23: error: session_lost begins with the relative path "bin/tell", but an absolute path, or a name to look up in PATH, is expected"#,
    #"9:7: error: unknown key "session_lots" in [hooks]; did you mean "session_lost"?"#),
  BadFile(
    "kind = 'oauth2'\nclient_id = 'x'",
    #"1:1: error: token is missing in [endpoints]: a provider of kind "oauth2" has no discovery to find it"#,
    "1:1: warning: neither device_authorization nor authorization is in [endpoints], so nobody can log in except by importing a refresh token"
  ),
  BadFile(
    "kind = 'oauth2'\nclient_id = 'x'\nissuer = 'https://a.example'\n[endpoints]\ntoken = 'http://b.example'\ndevice_authorization = 5",

    #"3:1: error: issuer belongs to kind "oidc", but kind is "oauth2""#,
    #"5:9: error: token is "http://b.example", but https:// is required, except to this machine (127.0.0.1, [::1], localhost)"#,
    "6:24: error: device_authorization is an integer, but a URL is expected"),
  BadFile(
    "kind = 'oauth2'\nclient_id = 'x'\nclient_secret = 'hunter2'\n[endpoints]\ntoken = 'https://b.example'\ndevice_authorization = 'https://b.example/d'\ntokn = 1",

    "3:1: error: client_secret is not read from this file; put the secret into a file that only its owner can read and name it with client_secret_file, or name a systemd credential with client_secret_credential",
    #"7:1: error: unknown key "tokn" in [endpoints]; did you mean "token"?"#),
  BadFile(
    "kind = 'oidc'\nclient_id = 'x'\nissuer = 'https://a.example'\nscopes = ['openid']\nclient_secret_file = 'hunter2'",

    "5:22: error: client_secret_file is not an absolute path, but the path of a file that holds the secret is expected"
  ),
  BadFile(
    "kind = 'oidc'\nclient_id = 'x'\nissuer = 'https://a.example'\nscopes = ['openid']\nclient_secret_credential = 'hunt/er2'",

    "5:28: error: client_secret_credential is not a credential name, but one without a slash is expected"),
  BadFile(
    "kind = 'oidc'\nclient_id = 'x'\nissuer = 'https://a.example'\nscopes = ['openid']\nclient_auth = 'client_secret_basic'",

    #"5:15: error: client_auth is "client_secret_basic", but there is neither client_secret_file nor client_secret_credential"#
  ),
  BadFile(
    "kind = 'oidc'\nclient_id = 'x'\nissuer = 'https://a.example'\nscopes = ['openid']\nclient_auth = 'none'\nclient_secret_file = '/s'",

    #"5:15: error: client_auth is "none", but a client secret is named"#),
  BadFile(
    "kind = 'oidc'\nclient_id = 'x'\nissuer = 'https://a.example'\nscopes = ['openid']\nclient_secret_credential = 'c'\nclient_secret_file = '/s'",

    "5:28: error: client_secret_credential is set as well as client_secret_file, but a secret has one source"),
  BadFile(
    "kind = 'oidc'\nclient_id = 'x'\nissuer = 'https://a.example'\nscopes = ['openid']\nclient_auth = 'client_secret_jwt'",

    #"5:15: error: client_auth is "client_secret_jwt", but one of "none", "client_secret_basic", "client_secret_post", "private_key_jwt", "tls_client_auth" or "self_signed_tls_client_auth" is expected; did you mean "client_secret_post"?"#
  ),
  BadFile(
    "kind = 'oidc'\nclient_id = 'x'\nissuer = 'https://a.example'\nscopes = ['openid']\nreuse_window = '2d'\nrequest_timeout = '0'\nforeground = 'never'\non_lost = 'stop'\nintrospect_refresh_token = 1",

    #"5:16: error: reuse_window is "2d", but a time span from 0 to 1d is expected"#,
    #"6:19: error: request_timeout is "0", but a time span from 1s to 10min is expected"#,
    #"7:14: error: foreground is "never", but one of "auto", "session" or "manual" is expected"#,
    #"8:11: error: on_lost is "stop", but one of "retry" or "park" is expected"#,
    "9:28: error: introspect_refresh_token is an integer, but true or false is expected"),
  BadFile(
    "kind = 'oidc'\nclient_id = 'x'\nissuer = 'https://a.example'\nscopes = ['openid']\nid_token_signed_response_alg = 'HS256'",

    #"5:32: error: id_token_signed_response_alg is "HS256", but one of "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384" or "ES512" is expected; did you mean "ES256"?"#
  ),
  BadFile(
    "kind = 'privy'\nclient_id = 'x'\napp_id = 'a'\nid_token_signed_response_alg = 'ES256'",

    #"4:1: error: id_token_signed_response_alg belongs to the kinds "oidc" and "oauth2", but kind is "privy""#
  ),
  BadFile(
    "kind = 'oauth2'\nclient_id = 'x'\nintrospect_refresh_token = true\n[endpoints]\ntoken = 'https://b.example'\ndevice_authorization = 'https://b.example/d'",

    "3:28: error: introspect_refresh_token is true, but there is no introspection in [endpoints] to ask"),
  BadFile(
    "kind = 'oauth2'\nclient_id = 'x'\ngrant = 'client_credentials'\nredirect_uri = 'http://localhost/'\n[endpoints]\ntoken = 'https://b.example'",

    #"3:9: error: grant is "client_credentials", but the client has no secret, key or certificate to prove itself with"#,
    #"4:16: error: redirect_uri is "http://localhost/", but a URL such as http://127.0.0.1/callback or http://[::1]/callback is expected"#
  ),
  BadFile(
    "kind = 'oidc'\nclient_id = 'x'\nissuer = 'https://a.example'\nscopes = ['openid']\ngrant = 'password'\nendpoints.jwks = 'http://a.example'",

    #"5:9: error: grant is "password", but one of "refresh_token" or "client_credentials" is expected"#,
    #"6:18: error: jwks is "http://a.example", but https:// is required, except to this machine (127.0.0.1, [::1], localhost)"#
  ),
  BadFile(
    "kind = 'privy'",
    "1:1: error: app_id is missing: Privy knows the app by it",
    "1:1: error: client_id is missing: Privy knows the app's client by it"),
  BadFile(
    "kind = 'privy'\napp_id = 'a b'\nclient_id = 'cä'\norigin = 'https://a.example/path'\nscopes = ['openid']",
    #"2:10: error: app_id is "a b", but printable ASCII characters without spaces is expected"#,
    #"3:13: error: client_id is "cä", but printable ASCII characters without spaces is expected"#,
    #"4:10: error: origin is "https://a.example/path", but https://HOST or https://HOST:PORT without a path is expected"#,
    #"5:1: error: scopes belongs to the kinds "oidc" and "oauth2", but kind is "privy""#),
  BadFile(
    "kind = 'command'",
    "1:1: error: command is missing: the program that prints the token, and its arguments"),
  BadFile(
    "kind = 'command'\ncommand = '/bin/helper'\nclient_id = 'x'\n[endpoints]\ntoken = 'https://a.example'",
    #"2:11: error: command is a string, but an array such as ["/usr/bin/program", "argument"] is expected; a line for the shell is written as shell = "...""#,
    #"3:1: error: client_id belongs to the kinds "oidc", "oauth2" and "privy", but kind is "command""#,
    #"4:2: error: endpoints belongs to the kinds "oidc", "oauth2" and "privy", but kind is "command""#),
  BadFile(
    "kind = 'static'\ntoken_file = 'token'\ntoken_lifetime = '0'\nrequest_timeout = '5s'",
    #"2:14: error: token_file is "token", but an absolute path is expected"#,
    #"3:18: error: token_lifetime is "0", but a time span from 1s to 100y is expected"#,
    #"4:1: error: request_timeout belongs to the kinds "oidc", "oauth2", "privy" and "command", but kind is "static""#
  ),
  BadFile(
    "kind = 'static'\ncommand = ['x']",
    "1:1: error: token_file is missing: the file that another program keeps the token in",
    #"2:1: error: command belongs to kind "command", but kind is "static""#),
  BadFile(
    oidc + "client_auth = 'private_key_jwt'",
    #"5:15: error: client_auth is "private_key_jwt", but there is neither client_key_file nor client_key_credential"#
  ),
  BadFile(
    oidc + "client_key = 'hunter2'",
    "5:1: error: client_key is not read from this file; put the secret into a file that only its owner can read and name it with client_key_file, or name a systemd credential with client_key_credential"
  ),
  BadFile(
    oidc + "client_key_file = '/k'\nclient_secret_file = '/s'",
    #"5:19: error: client_auth is "client_secret_basic", but a client key is named"#),
  BadFile(
    oidc + "client_auth = 'tls_client_auth'",
    "5:15: error: client_auth asks for a TLS client certificate, but there is no certificate in [tls]"),
  BadFile(
    oidc + "[tls]\ncertificate = '/c.pem'",
    "5:2: error: certificate needs its private key: name it with key_file or key_credential"),
  BadFile(
    oidc + "[tls]\nkey_file = '/k.pem'",
    "5:2: error: a key is named, but there is no certificate that it could belong to"),
  BadFile(
    oidc + "proxy = 'http://u:p@proxy.example'",
    "5:9: error: proxy contains an @, but a URL without user name and password is expected"),
  BadFile(
    oidc + "proxy = 'proxy.example:3128'",
    #"5:9: error: proxy is "proxy.example:3128", but http://HOST:PORT, https://, socks5:// or socks5h:// is expected"#
  ),
  BadFile(
    "kind = 'oauth2'\nclient_id = 'x'\nclient_key_file = '/k'\nassertion_audience = 'issuer'\n[endpoints]\ntoken = 'https://b.example'\ndevice_authorization = 'https://b.example/d'",
    #"4:22: error: assertion_audience is "issuer", but a provider of kind "oauth2" names none"#),
  BadFile(
    oidc + "verdicts = 'x'",
    #"5:12: error: verdicts is a string, but a section such as [verdicts] with "401 invalid_token" = "definite" is expected"#
  ),
  BadFile(
    oidc + "[verdicts]\n'401 a b' = 'definite'\n'6xx' = 'transient'\n'403' = 'success'",
    #"6:1: error: verdicts: "401 a b" is no answer, but a status (500, 5xx), an error code (invalid_token) or both ("401 invalid_token") are expected"#,
    #"7:1: error: verdicts: "6xx" is no answer, but a status (500, 5xx), an error code (invalid_token) or both ("401 invalid_token") are expected"#,
    #"8:9: error: verdicts."403" is "success", but one of "transient", "ambiguous", "definite", "rejected" or "configuration" is expected"#
  ),
]

@Test(arguments: badProviders) func `a bad provider file is explained`(_ file: BadFile) {
  #expect(providerDiagnostics(file.text) == file.diagnostics)
}

@Test(arguments: badProviders) func `no message repeats a secret`(_ file: BadFile) {
  for line in providerDiagnostics(file.text) {
    #expect(!line.contains("hunter2") && !line.contains("hunt/er2") && !line.contains("u:p@"))
  }
}

let badSettings: [BadFile] = [
  BadFile(
    "drain_concurrency = 0",
    "1:21: error: drain_concurrency is 0, but an integer from 1 to 1000 is expected"),
  BadFile(
    "drain_concurrency = 'many'",
    "1:21: error: drain_concurrency is a string, but an integer from 1 to 1000 is expected"),
  BadFile(
    "clock_trust = 'synchronised'",
    #"1:15: error: clock_trust is "synchronised", but one of "floor", "synchronized" or "none" is expected; did you mean "synchronized"?"#
  ),
  BadFile(
    "[foreground]\nwhen = 'sesion'\n[ledger]\nkeep = '1h'\nkeeps = 1\n[control]\nallow = []",
    #"2:8: error: when is "sesion", but one of "auto", "session" or "manual" is expected; did you mean "session"?"#,
    #"4:8: error: keep is "1h", but a time span from 1d to 100y is expected"#,
    #"5:1: error: unknown key "keeps" in [ledger]; did you mean "keep"?"#,
    #"6:2: error: unknown key "control" at the top level; known here are "clock_trust", "drain_concurrency", "foreground", "hooks" and "ledger""#
  ),
]

@Test(arguments: badSettings) func `bad settings are explained`(_ file: BadFile) {
  #expect(settingsDiagnostics(file.text) == file.diagnostics)
}
