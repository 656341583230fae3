import AuthModel
import Glibc
import Scheduling

/// What is asked of the server: GET requests, without any token.
extension ProviderExamination {
  /// More than this between the two clocks and tokens look expired, or are used when they are.
  private static let mostSkew = Duration.seconds(30)

  /// The discovery document and the keys that it names; fills in the endpoints that the provider file leaves out.
  func discovery(_ issuer: String, _ endpoints: inout ProviderDefinition.Endpoints) -> [Finding] {
    var failure = Finding(.failed, "discovery", "\(issuer) has no discovery document")
    for url in DiscoveryDocument.urls(issuer: issuer) {
      do {
        let response = try get(url)
        guard response.status == 200 else {
          failure.detail = "\(url) answered with status \(response.status); check issuer in the provider file"
          continue
        }
        let document = try DiscoveryDocument(
          response.body, issuer: issuer, usesCertificate: provider.transport.certificate != nil)
        endpoints = endpoints.completed(by: document.metadata.endpoints)
        return [Finding(.ok, "discovery", url), clocks(response), keys(endpoints.jwks)].compactMap { $0 }
      } catch {
        failure.detail = "\(error)"
      }
    }
    return [failure]
  }

  private func clocks(_ response: HTTPResponse) -> Finding? {
    guard let date = response.date else { return nil }
    let now = WallTime(seconds: Int64(time(nil)))
    let skew = date - now
    let words =
      "the server's clock is \(abs(skew.components.seconds)) s \(skew < .zero ? "behind" : "ahead of") ours"
    return skew < .zero - Self.mostSkew || skew > Self.mostSkew
      ? Finding(.warning, "clock", "\(words); have this machine's set by NTP")
      : Finding(.ok, "clock", words)
  }

  private func keys(_ url: String?) -> Finding? {
    guard let url else {
      return Finding(
        .warning, "keys", "the discovery document names no jwks_uri, so that ID tokens can't be checked")
    }
    do {
      let response = try get(url)
      guard response.status == 200, JSONObject.parse(response.body) != nil else {
        return Finding(
          .failed, "keys",
          "\(url) answered with status \(response.status) and no key set; ID tokens can't be checked")
      }
      return Finding(.ok, "keys", url)
    } catch {
      return Finding(.failed, "keys", "\(error)")
    }
  }

  /// Any answer at all shows that name, route, TLS and the server are in order.
  func answers(of endpoints: ProviderDefinition.Endpoints) -> [Finding] {
    let named = [
      ("token endpoint", endpoints.token), ("device endpoint", endpoints.deviceAuthorization),
      ("introspection", endpoints.introspection), ("revocation", endpoints.revocation),
      ("userinfo", endpoints.userinfo),
    ]
    var findings = named.compactMap { subject, url in url.map { answer(subject, $0) } }
    if endpoints.token == nil { findings.append(Finding(.failed, "token endpoint", missingTokenEndpoint)) }
    return findings
  }

  private var missingTokenEndpoint: String {
    if case .oidc = provider.kind {
      return "unknown: no discovery document names it, nor [endpoints] of the provider file"
    }
    return "there is none; name it in [endpoints] of the provider file"
  }

  private func answer(_ subject: String, _ url: String) -> Finding {
    do {
      let status = try get(url).status
      return status < 500
        ? Finding(.ok, subject, "\(url) answers")
        : Finding(.warning, subject, "\(url) answers with status \(status): the server has a problem")
    } catch {
      return Finding(.failed, subject, "\(error)")
    }
  }

  private func get(_ url: String) throws(AgentError) -> HTTPResponse {
    switch try client.perform(.get(url, timeout: min(provider.requestTimeout, .seconds(10)))) {
    case .success(let response): return response
    case .failure(let failure): throw .request(host: HTTPClient.host(url), reason: failure.reason)
    }
  }
}
