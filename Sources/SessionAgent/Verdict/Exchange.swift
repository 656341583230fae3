/// What became of one request that spent a refresh token: everything the verdict depends on.
enum Exchange: Hashable, Sendable {
  /// It failed before the first byte of the request was handed to the kernel.
  case notSent
  /// It was sent, at least in part, and no complete answer came back; or the process that sent it
  /// was killed.
  case lost
  case answered(status: Int, body: Body)
  /// A credential helper ended by itself, with an exit status.
  case exited(status: Int, body: Body)

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
    /// Privy's `clear`: the session is over.
    case cleared
    /// Privy's `ignore`, although the token that we hold has expired: nothing was renewed.
    case notRenewed
    /// Privy keeps the real refresh token in a cookie, and sends the word `deprecated` in its place.
    case cookieMode
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
    guard let object = JSONObject.parseAnswer(response.body) else {
      return unparsable(response.body, claimsJSON: response.contentType?.hasSuffix("json") ?? false)
    }
    if let answer { return body(of: answer) }
    return object.string("error").map { .error($0) } ?? .neither
  }

  static func body(of answer: TokenAnswer) -> Body {
    if !answer.isBearer { return .unusableTokenType }
    return answer.lifetime.map { $0 <= .zero } ?? false ? .expiredToken : .token
  }

  /// What a text is that is no JSON object.
  static func unparsable(_ text: Secret, claimsJSON: Bool) -> Body {
    let first = text.withBytes { bytes in
      bytes.first { !" \t\r\n".utf8.contains($0) }
    }
    guard let first else { return .empty }
    return claimsJSON || first == UInt8(ascii: "{") ? .brokenJSON : .notJSON
  }
}
