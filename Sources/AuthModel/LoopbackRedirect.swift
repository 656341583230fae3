/// Where a browser brings the answer of a login: a port of this machine's loopback interface
/// (RFC 8252 section 7.3).
public struct LoopbackRedirect: Hashable, Sendable {
  /// `localhost` is not among them: it may be resolved to something else (section 8.3).
  public enum Host: String, Hashable, Sendable, CaseIterable {
    case ipv4 = "127.0.0.1"
    case ipv6 = "[::1]"
  }

  public var host: Host
  /// Nil: any free one, which a server must allow.
  public var port: UInt16?
  /// Begins with a slash.
  public var path: String

  public init(host: Host, port: UInt16? = nil, path: String) {
    self.host = host
    self.port = port
    self.path = path
  }

  public static let standard = LoopbackRedirect(host: .ipv4, path: "/callback")

  /// Nil unless `uri` is `http`, one of the two addresses, perhaps a port, and a path without a query.
  public init?(_ uri: String) {
    let scheme = "http://"
    guard uri.hasPrefix(scheme),
      let host = Host.allCases.first(where: { uri.hasPrefix(scheme + $0.rawValue) })
    else { return nil }
    let rest = uri.utf8.dropFirst(scheme.utf8.count + host.rawValue.utf8.count)
    let authority = rest.prefix { $0 != UInt8(ascii: "/") }
    let path = rest.dropFirst(authority.count)
    guard path.allSatisfy(Self.isPathByte) else { return nil }
    var port: UInt16?
    if !authority.isEmpty {
      guard authority.first == UInt8(ascii: ":"), authority.dropFirst().allSatisfy({ 0x30...0x39 ~= $0 }),
        let number = UInt16(String(decoding: authority.dropFirst(), as: UTF8.self)), number > 0
      else { return nil }
      port = number
    }
    self.init(host: host, port: port, path: path.isEmpty ? "/" : String(decoding: path, as: UTF8.self))
  }

  /// The `redirect_uri` of a listener at `port`.
  public func uri(port: UInt16) -> String { "http://\(host.rawValue):\(port)\(path)" }

  /// What needs no escaping in a path (RFC 3986 section 3.3), the slash included, and nothing that a
  /// browser would write otherwise than we compare it.
  private static func isPathByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "/-._~:@!$&()*+,;=".utf8.contains(byte)
    }
  }
}
