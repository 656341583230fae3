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
  }

  /// Reads the client's secret, if it has one.
  init(_ provider: ProviderDefinition, credentialsFolder: String?) throws(AgentError) {
    clientID = provider.clientID
    switch provider.clientAuthentication {
    case .none: method = .none
    case .secretBasic(let source): method = .basic(try Self.read(source, credentialsFolder))
    case .secretPost(let source): method = .post(try Self.read(source, credentialsFolder))
    }
  }

  /// A form with the given parameters and whatever identifies the client.
  func form(_ parameters: [(name: String, value: FormValue)]) -> Secret {
    let form = Secret()
    for parameter in parameters { Self.append(parameter.name, parameter.value, to: form) }
    switch method {
    // With Basic the client is named in the header alone: two ways at once are forbidden.
    case .basic: break
    case .none: Self.append("client_id", .text(clientID), to: form)
    case .post(let secret):
      Self.append("client_id", .text(clientID), to: form)
      Self.append("client_secret", .secret(secret), to: form)
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

  func post(
    _ url: String, _ parameters: [(name: String, value: FormValue)], timeout: Duration, isInterruptible: Bool
  ) -> HTTPRequest {
    .post(
      url, body: form(parameters), authorization: authorization, timeout: timeout,
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

  private static func read(
    _ source: ProviderDefinition.SecretSource, _ credentialsFolder: String?
  ) throws(AgentError) -> Secret {
    let path: String
    let isPrivate: Bool
    switch source {
    case .file(let file): (path, isPrivate) = (file, true)
    // The service manager guards the folder itself.
    case .credential(let name):
      (path, isPrivate) = ((credentialsFolder ?? "$CREDENTIALS_DIRECTORY") + "/" + name, false)
    }
    guard let secret = try File.readSecret(path, limit: 4096, isPrivate: isPrivate)?.withoutTrailingNewline,
      secret.count > 0
    else { throw .missingSecret(path: path) }
    return secret
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
