/// What became of one request that spent a refresh token: everything the verdict depends on.
enum Exchange: Hashable, Sendable {
  /// It failed before the first byte of the request was handed to the kernel.
  case notSent
  /// It was sent, at least in part, and no complete answer came back; or the process that sent it
  /// was killed.
  case lost
  case answered(status: Int, body: Body)

  enum Body: Hashable, Sendable {
    case empty
    /// A web page: captive portal, firewall, proxy.
    case notJSON
    /// Meant to be JSON, by its media type or its first character, but not one whole object.
    case brokenJSON
    /// An object with an `error` member (RFC 6749 section 5.2).
    case error(String)
    /// An object with neither a usable access token nor an error.
    case neither
    /// An object with a usable access token.
    case token
    /// The same, but `expires_in` says that it has expired already.
    case expiredToken
    /// The same, but of a type that can't be presented as a bearer token.
    case unusableTokenType
  }
}

extension Exchange {
  init(_ result: Result<HTTPResponse, TransportFailure>, answer: TokenAnswer?) {
    switch result {
    case .failure(let failure): self = failure.mayHaveBeenSent ? .lost : .notSent
    case .success(let response):
      self = .answered(status: response.status, body: Self.body(of: response, answer: answer))
    }
  }

  private static func body(of response: HTTPResponse, answer: TokenAnswer?) -> Body {
    guard let object = JSONObject.parse(response.body) else { return unparsable(response) }
    if let answer {
      if !answer.isBearer { return .unusableTokenType }
      return answer.lifetime.map { $0 <= .zero } ?? false ? .expiredToken : .token
    }
    return object.string("error").map { .error($0) } ?? .neither
  }

  private static func unparsable(_ response: HTTPResponse) -> Body {
    let first = response.body.withBytes { bytes in
      bytes.first { !" \t\r\n".utf8.contains($0) }
    }
    guard let first else { return .empty }
    let claimsJSON = response.contentType?.hasSuffix("json") ?? false
    return claimsJSON || first == UInt8(ascii: "{") ? .brokenJSON : .notJSON
  }
}
