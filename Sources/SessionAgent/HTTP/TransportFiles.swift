import AuthModel
import CCurl

/// A provider's proxy, and the certificates and the key that its transport needs, read from their files.
struct TransportFiles {
  private let proxy: String?
  private let authorities: Secret?
  private let certificate: Secret?
  private let key: Secret?

  /// Reads them anew for each request: somebody renews certificates while we run.
  init(_ transport: ProviderDefinition.Transport, credentialsFolder: String?) throws(AgentError) {
    proxy = transport.proxy
    authorities = try transport.authorities.map { path throws(AgentError) in try Self.read(path) }
    certificate = try (transport.certificate?.file).map { path throws(AgentError) in try Self.read(path) }
    key = try (transport.certificate?.key).map { source throws(AgentError) in
      try source.read(credentialsFolder: credentialsFolder, limit: 64 << 10)
    }
  }

  private static func read(_ path: String) throws(AgentError) -> Secret {
    guard let content = try File.readSecret(path, limit: 4 << 20, isPrivate: false), content.count > 0 else {
      throw .unusable(what: path, reason: "it does not exist or is empty")
    }
    return content
  }

  /// curl does not copy: `self` must outlive the transfer.
  func configure(_ handle: UnsafeMutableRawPointer, isLoopback: Bool) -> [CURLcode] {
    var steps: [CURLcode] = []
    if let proxy {
      steps.append(nl_curl_set_text(handle, CURLOPT_PROXY, proxy))
    } else if isLoopback {
      // The environment's proxy must not see what is meant for this machine.
      steps.append(nl_curl_set_text(handle, CURLOPT_PROXY, ""))
    }
    if let authorities {
      steps.append(Self.set(handle, CURLOPT_CAINFO_BLOB, authorities))
      steps.append(Self.set(handle, CURLOPT_PROXY_CAINFO_BLOB, authorities))
      // In place of the system's, not beside them.
      steps.append(nl_curl_set_text(handle, CURLOPT_CAPATH, nil))
      steps.append(nl_curl_set_text(handle, CURLOPT_PROXY_CAPATH, nil))
    }
    if let certificate { steps.append(Self.set(handle, CURLOPT_SSLCERT_BLOB, certificate)) }
    if let key { steps.append(Self.set(handle, CURLOPT_SSLKEY_BLOB, key)) }
    return steps
  }

  private static func set(_ handle: UnsafeMutableRawPointer, _ option: CURLoption, _ content: Secret)
    -> CURLcode
  {
    content.withBytes { nl_curl_set_blob(handle, option, $0.baseAddress, $0.count) }
  }
}

extension ProviderDefinition.SecretSource {
  /// The secret, without the line end that an editor leaves.
  func read(credentialsFolder: String?, limit: Int) throws(AgentError) -> Secret {
    let path: String
    let isPrivate: Bool
    switch self {
    case .file(let file): (path, isPrivate) = (file, true)
    // The service manager guards the folder itself.
    case .credential(let name):
      (path, isPrivate) = ((credentialsFolder ?? "$CREDENTIALS_DIRECTORY") + "/" + name, false)
    }
    guard let secret = try File.readSecret(path, limit: limit, isPrivate: isPrivate)?.withoutTrailingNewline,
      secret.count > 0
    else { throw .missingSecret(path: path) }
    return secret
  }
}
