public import Scheduling

/// An access token. It is a secret: pass on its ``value`` to the service it is for, and to nothing else.
public struct AccessToken: Hashable, Sendable {
  /// What follows `Bearer ` in a request's `Authorization` header (RFC 6750 section 2.1).
  public var value: String
  /// When it expires, on the wall clock; nil when nobody said.
  public var expires: WallTime?
}

extension AccessToken: CustomStringConvertible, CustomReflectable {
  /// Not the token: what is printed ends up in logs.
  public var description: String { "an access token" }

  public var customMirror: Mirror { Mirror(self, children: ["expires": expires as Any]) }
}
