/// The verdict table of a refresh attempt: rows of data, the first that matches decides.
///
/// Two questions in this order: could the server have used the token up, and what did it say?
/// Whatever is not understood never ends a session.
struct VerdictTable: Sendable {
  struct Row: Sendable {
    var meaning: String
    var exchange: Pattern
    var verdict: RefreshVerdict
  }

  enum Pattern: Sendable {
    case notSent
    case lost
    case answered(ClosedRange<Int>, BodyPattern)
    case answeredAny([Int])
    case exited(ClosedRange<Int>, BodyPattern)
  }

  enum BodyPattern: Sendable {
    case any
    case body(Exchange.Body)
    case anyError
    case errors(Set<String>)
    /// Anything but a token.
    case withoutToken
    /// Neither a token nor a page that something in between may have written.
    case ownWords
  }

  var rows: [Row]

  func verdict(on exchange: Exchange) -> RefreshVerdict {
    rows.first { $0.exchange.matches(exchange) }?.verdict ?? .ambiguous
  }
}

extension VerdictTable.Pattern {
  func matches(_ exchange: Exchange) -> Bool {
    switch (self, exchange) {
    case (.notSent, .notSent), (.lost, .lost): true
    case (.answered(let statuses, let pattern), .answered(let status, let body)):
      statuses.contains(status) && pattern.matches(body)
    case (.answeredAny(let statuses), .answered(let status, _)): statuses.contains(status)
    case (.exited(let statuses, let pattern), .exited(let status, let body)):
      statuses.contains(status) && pattern.matches(body)
    default: false
    }
  }
}

extension VerdictTable.BodyPattern {
  func matches(_ body: Exchange.Body) -> Bool {
    switch (self, body) {
    case (.any, _), (.anyError, .error): true
    case (.body(let wanted), let body): wanted == body
    case (.errors(let codes), .error(let code)): codes.contains(code)
    case (.withoutToken, let body): !body.hasToken
    case (.ownWords, let body): !body.hasToken && body != .notJSON && body != .brokenJSON
    default: false
    }
  }
}

extension Exchange.Body {
  /// Whether a rotation may be in it: then it is a success of some kind, whatever else it looks like.
  var hasToken: Bool {
    switch self {
    case .token, .expiredToken, .unusableTokenType: true
    case .empty, .notJSON, .brokenJSON, .error, .neither, .cleared, .notRenewed, .cookieMode: false
    }
  }
}
