import AuthModel
import CLinux
import Glibc

@testable import SessionAgent

/// A browser that follows redirects and shows nothing.
struct TestBrowser {
  /// Where the authorization endpoint sends it, without going there.
  static func redirect(_ url: String) throws -> String {
    let answer = try send(
      "GET \(path(of: url)) HTTP/1.1\r\nHost: \(host(of: url))\r\nConnection: close\r\n\r\n", to: url)
    guard let start = answer.firstRange(of: "Location: "),
      let end = answer[start.upperBound...].firstRange(of: "\r\n")
    else { throw TestFailure("no redirect: \(answer)") }
    return String(answer[start.upperBound..<end.lowerBound])
  }

  /// Goes there and returns what was answered, the head included.
  @discardableResult
  static func open(_ url: String) throws -> String {
    try send("GET \(path(of: url)) HTTP/1.1\r\nHost: \(host(of: url))\r\n\r\n", to: url)
  }

  /// Sends any bytes to the host of `url` and reads to the end.
  static func send(_ bytes: String, to url: String) throws -> String {
    let connection = try TestConnection(port: port(of: url), isIPv6: host(of: url).hasPrefix("["))
    connection.send(bytes)
    return connection.readAll()
  }

  static func host(_ url: String, path: String) -> String { "http://\(host(of: url))\(path)" }

  static func port(of url: String) throws -> UInt16 {
    guard let port = host(of: url).split(separator: ":").last.flatMap({ UInt16($0) }) else {
      throw TestFailure("no port in \(url)")
    }
    return port
  }

  private static func host(of url: String) -> String {
    String(url.dropFirst("http://".count).prefix { $0 != "/" })
  }

  private static func path(of url: String) -> String {
    String(url.dropFirst("http://".count).drop { $0 != "/" })
  }
}

/// A TCP connection to this machine.
final class TestConnection {
  private let descriptor: Int32

  init(port: UInt16, isIPv6: Bool = false) throws {
    descriptor = socket(isIPv6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var code: Int32
    if isIPv6 {
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_port = port.bigEndian
      address.sin6_addr = in6addr_loopback
      code = Self.connect(descriptor, &address)
    } else {
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
      code = Self.connect(descriptor, &address)
    }
    if code != 0 { code = errno }
    guard code == 0 else { throw TestFailure("cannot connect to port \(port): \(code)") }
  }

  deinit { close(descriptor) }

  private static func connect<Address>(_ descriptor: Int32, _ address: inout Address) -> Int32 {
    withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<Address>.size))
      }
    }
  }

  func send(_ text: String) {
    var text = text
    _ = text.withUTF8 { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
  }

  func readAll() -> String {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      if count < 0 && errno == EINTR { continue }
      if count <= 0 { return String(decoding: bytes, as: UTF8.self) }
      bytes += buffer[..<count]
    }
  }
}
