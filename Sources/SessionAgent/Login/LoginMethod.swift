/// How a session begins.
public enum LoginMethod {
  /// A person approves a code on any device (RFC 8628).
  case device
  /// A person's browser on this machine brings a code back (RFC 8252).
  case browser
  /// A refresh token that some other program was given. Verified by a refresh at once.
  case refreshToken(Secret)
}
