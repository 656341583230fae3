import Scheduling

/// What a client says of itself instead of showing a secret (RFC 7523 section 3).
struct ClientAssertion {
  static let type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
  /// Long enough for a clock that is a little wrong, too short to be worth stealing.
  static let lifetime = Duration.seconds(120)

  let clientID: String
  let audience: String

  /// A new one each time: its `jti` must not come twice.
  func signed(with key: ClientKey) throws(AgentError) -> Secret {
    let now = SystemClock.wall.microseconds / 1_000_000
    let expires = now + Self.lifetime.components.seconds
    let claims = Secret()
    claims.append("{\"iss\":")
    claims.appendJSON(clientID)
    claims.append(",\"sub\":")
    claims.appendJSON(clientID)
    claims.append(",\"aud\":")
    claims.appendJSON(audience)
    claims.append(",\"jti\":\"\(Secret.random(count: 16).withBytes(Hexadecimal.text))\"")
    claims.append(",\"iat\":\(now),\"exp\":\(expires)}")
    guard let token = key.sign(claims) else { throw .cryptography(action: "sign the client's assertion") }
    return token
  }
}

extension Secret {
  /// Appends a JSON string (RFC 8259 section 7).
  func appendJSON(_ text: String) {
    append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        append(UInt8(ascii: "\\"))
        append(byte)
      case 0..<0x20: append("\\u00" + Hexadecimal.text([byte]))
      default: append(byte)
      }
    }
    append(UInt8(ascii: "\""))
  }
}
