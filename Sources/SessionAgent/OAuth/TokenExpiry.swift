import Scheduling

/// What an access token says about its own end, if it is a JWT.
///
/// A hint for planning and nothing else: an access token is opaque to a client (RFC 9068 section 6), so
/// no signature is checked and nobody is let in because of it.
enum TokenExpiry {
  static func hint(in token: Secret) -> WallTime? {
    let text = token.withBytes { String(decoding: $0, as: UTF8.self) }
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3,
      let claims = Secret.decodingBase64URL(parts[1].utf8).flatMap(JSONObject.parse)
    else { return nil }
    return claims.seconds("exp").map { WallTime(microseconds: 0) + $0 }
  }
}
