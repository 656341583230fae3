import AuthModel

/// What is known of a server: from the provider file, completed by its discovery document.
struct ServerMetadata {
  var endpoints: ProviderDefinition.Endpoints
  /// Whether every authorization response names its issuer (RFC 9207 section 3).
  var namesIssuerInResponse = false
}

extension ProviderDefinition.Endpoints {
  /// These, and what they leave out from `other`.
  func completed(by other: Self) -> Self {
    var all = self
    all.authorization = authorization ?? other.authorization
    all.token = token ?? other.token
    all.deviceAuthorization = deviceAuthorization ?? other.deviceAuthorization
    all.introspection = introspection ?? other.introspection
    all.revocation = revocation ?? other.revocation
    all.userinfo = userinfo ?? other.userinfo
    all.jwks = jwks ?? other.jwks
    return all
  }
}
