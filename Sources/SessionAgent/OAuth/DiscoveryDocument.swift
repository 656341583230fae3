import AuthModel

/// What a provider says about itself (OpenID Connect Discovery 1.0, RFC 8414).
struct DiscoveryDocument {
  var metadata = ServerMetadata(endpoints: ProviderDefinition.Endpoints())

  /// - Throws: if it is no document, or one of another issuer: the two must be equal to the letter
  ///   (RFC 8414 section 3.3), or one server could answer for another.
  init(_ text: Secret, issuer: String, usesCertificate: Bool = false) throws(AgentError) {
    guard let object = JSONObject.parse(text) else {
      throw .discovery(issuer: issuer, reason: "the answer is not a JSON object")
    }
    let named = object.string("issuer")
    guard named == issuer else {
      let other = named.map { "names the issuer \(HTTPClient.printable($0))" } ?? "names no issuer"
      throw .discovery(issuer: issuer, reason: "it \(other), and the provider file another")
    }
    // Where a client with a certificate is expected (RFC 8705 section 5).
    let aliases = usesCertificate ? object.object("mtls_endpoint_aliases") : nil
    func endpoint(_ name: String) -> String? { aliases?.string(name) ?? object.string(name) }
    metadata.endpoints.authorization = object.string("authorization_endpoint")
    metadata.endpoints.token = endpoint("token_endpoint")
    metadata.endpoints.deviceAuthorization = endpoint("device_authorization_endpoint")
    metadata.endpoints.introspection = endpoint("introspection_endpoint")
    metadata.endpoints.revocation = endpoint("revocation_endpoint")
    metadata.endpoints.userinfo = endpoint("userinfo_endpoint")
    metadata.endpoints.jwks = object.string("jwks_uri")
    metadata.namesIssuerInResponse = object.isTrue("authorization_response_iss_parameter_supported")
  }

  /// Where to ask, in order: OpenID Connect appends to the issuer, RFC 8414 inserts after the host.
  static func urls(issuer: String) -> [String] {
    var trimmed = issuer[...]
    while trimmed.last == "/" { trimmed.removeLast() }
    var urls = [trimmed + "/.well-known/openid-configuration"].map(String.init)
    if let scheme = trimmed.firstRange(of: "://") {
      let rest = trimmed[scheme.upperBound...]
      let pathStart = rest.firstIndex(of: "/") ?? rest.endIndex
      urls.append(trimmed[..<pathStart] + "/.well-known/oauth-authorization-server" + rest[pathStart...])
    }
    return urls
  }
}
