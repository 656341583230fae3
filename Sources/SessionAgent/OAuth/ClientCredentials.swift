import AuthModel
import Scheduling

/// Who we are, as the provider's endpoints want to be told (RFC 6749 section 2.3).
struct ClientCredentials {
  var clientID: String
  private var method: Method

  private enum Method {
    case none
    case basic(Secret)
    case post(Secret)
    /// `audience`: nil for the endpoint that is talked to.
    case assertion(ClientKey, audience: String?)
  }

  /// Reads the client's secret or key, if it has one.
  init(_ provider: ProviderDefinition, credentialsFolder: String?) throws(AgentError) {
    clientID = provider.clientID
    switch provider.clientAuthentication {
    // A certificate speaks for itself in the TLS handshake (RFC 8705 section 2).
    case .none, .certificate: method = .none
    case .secretBasic(let source):
      method = .basic(try source.read(credentialsFolder: credentialsFolder, limit: 4096))
    case .secretPost(let source):
      method = .post(try source.read(credentialsFolder: credentialsFolder, limit: 4096))
    case .privateKeyJWT(let source, let audience):
      let text = try source.read(credentialsFolder: credentialsFolder, limit: 64 << 10)
      guard let key = ClientKey(jwk: text) else {
        throw .unusable(
          what: "the client key of \(provider.name)",
          reason: "it is not a private key of RSA or of a NIST curve as a JWK (RFC 7517)")
      }
      method = .assertion(key, audience: audience == .issuer ? provider.issuer : nil)
    }
  }

  /// A form with the given parameters and whatever identifies the client.
  func form(_ parameters: [(name: String, value: FormValue)], to url: String) throws(AgentError)
    -> Secret
  {
    let form = Secret()
    for parameter in parameters { Self.append(parameter.name, parameter.value, to: form) }
    switch method {
    // With Basic the client is named in the header alone: two ways at once are forbidden.
    case .basic: break
    case .none: Self.append("client_id", .text(clientID), to: form)
    case .post(let secret):
      Self.append("client_id", .text(clientID), to: form)
      Self.append("client_secret", .secret(secret), to: form)
    case .assertion(let key, let audience):
      let assertion = try ClientAssertion(clientID: clientID, audience: audience ?? url).signed(with: key)
      Self.append("client_id", .text(clientID), to: form)
      Self.append("client_assertion_type", .text(ClientAssertion.type), to: form)
      Self.append("client_assertion", .secret(assertion), to: form)
    }
    return form
  }

  /// The Authorization header's value; nil when the form says it all.
  ///
  /// Identifier and secret are form-encoded before base64 (RFC 6749 section 2.3.1).
  var authorization: Secret? {
    guard case .basic(let secret) = method else { return nil }
    let pair = Secret()
    pair.appendFormEncoded(clientID)
    pair.append(UInt8(ascii: ":"))
    secret.withBytes { pair.appendFormEncoded($0) }
    let value = Secret()
    value.append("Basic ")
    value.append(pair.base64)
    return value
  }

  /// - Throws: when an assertion can't be signed.
  func post(
    _ url: String, _ parameters: [(name: String, value: FormValue)], timeout: Duration, isInterruptible: Bool
  ) throws(AgentError) -> HTTPRequest {
    .post(
      url, body: try form(parameters, to: url), authorization: authorization, timeout: timeout,
      isInterruptible: isInterruptible)
  }

  enum FormValue {
    case text(String)
    case secret(Secret)
  }

  private static func append(_ name: String, _ value: FormValue, to form: Secret) {
    if form.count > 0 { form.append(UInt8(ascii: "&")) }
    form.appendFormEncoded(name)
    form.append(UInt8(ascii: "="))
    switch value {
    case .text(let text): form.appendFormEncoded(text)
    case .secret(let secret): secret.withBytes { form.appendFormEncoded($0) }
    }
  }
}

extension Secret {
  /// As an editor leaves a file: the line end is not part of the secret.
  var withoutTrailingNewline: Secret {
    withBytes { bytes in
      var text = bytes[...]
      if text.last == UInt8(ascii: "\n") { text.removeLast() }
      if text.last == UInt8(ascii: "\r") { text.removeLast() }
      return Secret(UnsafeRawBufferPointer(rebasing: text))
    }
  }
}
