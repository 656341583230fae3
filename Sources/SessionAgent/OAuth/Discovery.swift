import AuthModel
import Glibc
import Scheduling

/// Finds a provider's endpoints: from its file, from the cached discovery document, from the server.
struct Discovery {
  /// How long a cached document is used without asking again. An older one still serves when the
  /// server can't be reached.
  static let lifetime = Duration.seconds(24 * 3600)

  let provider: ProviderDefinition
  let client: HTTPClient
  /// `sessions/NAME.discovery` in the state folder.
  let cachePath: String

  /// What is known of the server, the provider file's endpoints first.
  ///
  /// - Parameter needed: those without which the caller can do nothing. If the file names them all,
  ///   no discovery takes place.
  func metadata(
    needed: [KeyPath<ProviderDefinition.Endpoints, String?>], now: WallTime
  ) throws(AgentError) -> ServerMetadata {
    let own = provider.endpoints
    guard case .oidc(let issuer) = provider.kind, !needed.allSatisfy({ own[keyPath: $0] != nil }) else {
      return ServerMetadata(endpoints: own)
    }
    let found = try document(issuer, now: now).metadata
    return ServerMetadata(
      endpoints: own.completed(by: found.endpoints), namesIssuerInResponse: found.namesIssuerInResponse)
  }

  private func document(_ issuer: String, now: WallTime) throws(AgentError) -> DiscoveryDocument {
    let cached = cachedDocument(issuer)
    if let cached, cached.written <= now, now - cached.written < Self.lifetime { return cached.document }
    do {
      return try fetch(issuer)
    } catch {
      guard let cached, !error.isStop else { throw error }
      return cached.document
    }
  }

  /// Nil if there is none that can be used: a damaged cache is as good as no cache.
  private func cachedDocument(_ issuer: String) -> (document: DiscoveryDocument, written: WallTime)? {
    var status = stat()
    guard stat(cachePath, &status) == 0,
      let bytes = try? File.read(cachePath, limit: HTTPClient.bodyLimit, isPrivate: true),
      let document = try? read(bytes.withUnsafeBytes { Secret($0) }, issuer)
    else { return nil }
    return (document, WallTime(seconds: Int64(status.st_mtim.tv_sec)))
  }

  private func fetch(_ issuer: String) throws(AgentError) -> DiscoveryDocument {
    var failure = AgentError.discovery(issuer: issuer, reason: "there is none")
    for url in DiscoveryDocument.urls(issuer: issuer) {
      do {
        let body = try get(url)
        let document = try read(body, issuer)
        store(body)
        return document
      } catch {
        if error.isStop { throw error }
        failure = error
      }
    }
    throw failure
  }

  private func read(_ text: Secret, _ issuer: String) throws(AgentError) -> DiscoveryDocument {
    try DiscoveryDocument(text, issuer: issuer, usesCertificate: provider.transport.certificate != nil)
  }

  private func get(_ url: String) throws(AgentError) -> Secret {
    switch try client.perform(.get(url, timeout: provider.requestTimeout)) {
    case .failure(let failure):
      if client.hold.isStopRequested { throw .stopRequested }
      throw .request(host: HTTPClient.host(url), reason: failure.reason)
    case .success(let response):
      guard response.status == 200 else {
        throw .request(host: HTTPClient.host(url), reason: "\(url) answered \(response.status)")
      }
      return response.body
    }
  }

  /// The cache is a convenience: without it the next refresh asks again.
  private func store(_ body: Secret) {
    let bytes = body.withBytes { Array($0) }
    try? ReservedFile(replacing: cachePath, size: bytes.count, suffix: ".\(getpid())").commit(bytes)
  }
}

extension AgentError {
  var isStop: Bool {
    switch self {
    case .stopRequested, .goingDown: true
    default: false
    }
  }
}
