import AuthModel
import CLinux
import Glibc

/// A listening socket on one of the two loopback addresses.
struct LoopbackSocket {
  var descriptor: Int32
  var redirect: LoopbackRedirect
  /// The one that was free, or the one that was asked for.
  var port: UInt16

  struct Failure: Error {
    var code: Int32
  }

  static func listen(_ redirect: LoopbackRedirect) -> Result<LoopbackSocket, Failure> {
    var port: UInt16 = redirect.port ?? 0
    let descriptor = nl_listen_on_loopback(redirect.host == .ipv6 ? 1 : 0, &port)
    guard descriptor >= 0 else { return .failure(Failure(code: -descriptor)) }
    return .success(LoopbackSocket(descriptor: descriptor, redirect: redirect, port: port))
  }
}
