import CLinux
import Glibc

/// Whether there is a way to the network, and when that changes: rtnetlink(7) alone, no packet is sent.
public final class NetworkWatch {
  /// A default route, IPv4 or IPv6, in the main table, over an interface that is up and is not the
  /// loopback.
  public private(set) var hasDefaultRoute: Bool

  private var source: FileSource?
  private let look: () throws(PlatformError) -> Bool
  private let onChange: (Bool) -> Void

  /// RTMGRP_LINK, RTMGRP_IPV4_ROUTE and RTMGRP_IPV6_ROUTE.
  private static let groups: UInt32 = 0x1 | 0x40 | 0x400

  /// `onChange` gets the new ``hasDefaultRoute`` and is called only when it is another one.
  public convenience init(onChange: @escaping (Bool) -> Void) throws(PlatformError) {
    try self.init(looking: RouteTable.hasDefaultRoute, onChange: onChange)
  }

  /// `look` stands in for the routing table only in tests, which have a network namespace of their own.
  init(
    looking look: @escaping () throws(PlatformError) -> Bool, onChange: @escaping (Bool) -> Void
  ) throws(PlatformError) {
    self.look = look
    self.onChange = onChange
    // Listening begins before the first look: no change falls between.
    let fd = nl_netlink_open(NETLINK_ROUTE, Self.groups)
    guard fd >= 0 else { throw .last("watch the network's routes") }
    do {
      hasDefaultRoute = try look()
    } catch {
      close(fd)
      throw error
    }
    source = FileSource(owning: fd, onReadable: { [weak self] in self?.routesChanged() })
  }

  public func cancel() {
    source?.cancel()
    source = nil
  }

  /// The messages only say that something changed; after an overflow (ENOBUFS) even that is enough.
  private func routesChanged() {
    guard let source else { return }
    var buffer = [UInt8](repeating: 0, count: 16 * 1024)
    for _ in 0..<64 where recv(source.fd, &buffer, buffer.count, 0) <= 0 && errno != ENOBUFS { break }
    guard let now = try? look(), now != hasDefaultRoute else { return }
    hasDefaultRoute = now
    onChange(now)
  }
}
