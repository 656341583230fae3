extension VerdictTable {
  /// For a server that speaks RFC 6749, and for what is known to stand in its way.
  static let standard = VerdictTable(rows: [
    Row(meaning: "the request never left", exchange: .notSent, verdict: .transient),
    Row(meaning: "no complete answer", exchange: .lost, verdict: .ambiguous),
    Row(
      meaning: "asked to come back later", exchange: .answeredAny([408, 429, 503]), verdict: .transient),
    // RFC 6585 section 6: never from the server itself.
    Row(meaning: "the network wants a login", exchange: .answeredAny([511]), verdict: .transient),
    Row(
      meaning: "failed half-way: a gateway may have passed the request on",
      exchange: .answered(500...599, .any), verdict: .ambiguous),
    Row(meaning: "a token", exchange: .answered(200...299, .body(.token)), verdict: .success),
    Row(
      meaning: "a token that has expired already", exchange: .answered(200...299, .body(.expiredToken)),
      verdict: .clockSuspect),
    Row(
      meaning: "a token that is no bearer token", exchange: .answered(200...299, .body(.unusableTokenType)),
      verdict: .unusableToken),
    Row(
      meaning: "the session was ended", exchange: .answered(200...299, .body(.cleared)), verdict: .definite),
    Row(
      meaning: "accepted, but what we hold has expired", exchange: .answered(200...299, .body(.notRenewed)),
      verdict: .rejectedUnknown),
    Row(
      meaning: "the refresh token is in a cookie", exchange: .answered(200...299, .body(.cookieMode)),
      verdict: .configuration),
    // GitHub answers 200 with bad_refresh_token.
    Row(
      meaning: "the grant is over",
      exchange: .answered(200...499, .errors(["invalid_grant", "bad_refresh_token"])), verdict: .definite),
    Row(
      meaning: "the server wants to see the user",
      exchange: .answered(
        200...499, .errors(["interaction_required", "login_required", "consent_required"])),
      verdict: .definite),
    Row(
      meaning: "the client is not set up as the server expects",
      exchange: .answered(
        200...499,
        .errors([
          "invalid_client", "unauthorized_client", "invalid_scope", "invalid_request",
          "unsupported_grant_type", "incorrect_client_credentials",
        ])), verdict: .configuration),
    Row(
      meaning: "busy, in an error code",
      exchange: .answered(200...499, .errors(["temporarily_unavailable", "server_error", "slow_down"])),
      verdict: .transient),
    Row(
      meaning: "refused in words nobody knows", exchange: .answered(200...499, .anyError),
      verdict: .rejectedUnknown),
    Row(
      meaning: "a page from something in between", exchange: .answered(200...499, .body(.notJSON)),
      verdict: .transient),
    Row(
      meaning: "accepted, but without a token that can be used", exchange: .answered(200...299, .any),
      verdict: .ambiguous),
    Row(meaning: "a redirect, never followed", exchange: .answered(300...399, .any), verdict: .transient),
    Row(
      meaning: "refused without words", exchange: .answered(400...499, .any), verdict: .rejectedUnknown),
  ])
}
