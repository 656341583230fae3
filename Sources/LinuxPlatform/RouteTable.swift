import CLinux
import Glibc

/// The kernel's routing table, over rtnetlink(7): the one look at the network that needs no socket of
/// an internet family.
nonisolated enum RouteTable {
  /// Whether the main table has a usable default route, IPv4 or IPv6, that leaves this machine.
  static func hasDefaultRoute() throws(PlatformError) -> Bool {
    for family in [AF_INET, AF_INET6] where try hasDefaultRoute(family: UInt8(family)) { return true }
    return false
  }

  private static func hasDefaultRoute(family: UInt8) throws(PlatformError) -> Bool {
    let fd = nl_netlink_open(NETLINK_ROUTE, 0)
    guard fd >= 0 else { throw .last("ask the kernel for its routes") }
    // An early end leaves the rest of the dump unread: closing discards it.
    defer { close(fd) }
    let request = dumpRequest(family: family)
    guard send(fd, request, request.count, 0) == request.count else {
      throw .last("ask the kernel for its routes")
    }
    var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    while true {
      // The kernel answers a dump from within recv(2): there is nothing to wait for.
      var sender: UInt32 = 0
      let count = nl_netlink_receive(fd, &buffer, buffer.count, &sender)
      guard count > 0 else {
        if count < 0 && errno == EINTR { continue }
        throw .last("read the kernel's routes")
      }
      guard sender == 0 else { continue }
      switch buffer.withUnsafeBytes({ scan(UnsafeRawBufferPointer(rebasing: $0[..<count])) }) {
      case .found: return true
      case .end: return false
      case .more: continue
      case .refused(let reason): throw .system(attempt: "read the kernel's routes", errno: reason)
      }
    }
  }

  /// struct nlmsghdr (16 bytes) and struct rtmsg (12 bytes).
  private static func dumpRequest(family: UInt8) -> [UInt8] {
    var request = [UInt8](repeating: 0, count: 28)
    request.withUnsafeMutableBytes { bytes in
      bytes.storeBytes(of: 28, toByteOffset: 0, as: UInt32.self)
      bytes.storeBytes(of: UInt16(RTM_GETROUTE), toByteOffset: 4, as: UInt16.self)
      bytes.storeBytes(of: UInt16(NLM_F_REQUEST | NLM_F_DUMP), toByteOffset: 6, as: UInt16.self)
      bytes.storeBytes(of: family, toByteOffset: 16, as: UInt8.self)
    }
    return request
  }

  enum Scan: Equatable {
    case found
    case end
    case more
    case refused(Int32)
  }

  /// Looks through one datagram of a dump.
  static func scan(_ bytes: UnsafeRawBufferPointer) -> Scan {
    var offset = 0
    while offset + 16 <= bytes.count {
      let length = Int(bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
      let type = Int32(bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt16.self))
      guard length >= 16, length <= bytes.count - offset else { return .end }
      let payload = UnsafeRawBufferPointer(rebasing: bytes[(offset + 16)..<(offset + length)])
      if type == NLMSG_DONE { return .end }
      if type == NLMSG_ERROR {
        let reason = payload.count >= 4 ? payload.loadUnaligned(as: Int32.self) : 0
        return reason == 0 || reason == .min ? .end : .refused(-reason)
      }
      if type == RTM_NEWROUTE, isDefault(payload) { return .found }
      // Messages begin at multiples of four.
      offset += (length + 3) & ~3
    }
    return .more
  }

  /// struct rtmsg: family, dst_len, src_len, tos, table, protocol, scope, type, then 4 bytes of flags;
  /// attributes follow.
  private static func isDefault(_ route: UnsafeRawBufferPointer) -> Bool {
    guard route.count >= 12 else { return false }
    let flags = route.loadUnaligned(fromByteOffset: 8, as: UInt32.self)
    let isDown = flags & UInt32(RTNH_F_DEAD | RTNH_F_LINKDOWN) != 0
    guard route[1] == 0, route[7] == UInt8(RTN_UNICAST), !isDown else { return false }
    var table = UInt32(route[4])
    var interface: UInt32?
    var offset = 12
    while offset + 4 <= route.count {
      let length = Int(route.loadUnaligned(fromByteOffset: offset, as: UInt16.self))
      let type = UInt32(route.loadUnaligned(fromByteOffset: offset + 2, as: UInt16.self))
      guard length >= 4, length <= route.count - offset else { break }
      if length >= 8 {
        let value = route.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
        if type == RTA_TABLE.rawValue { table = value }
        if type == RTA_OIF.rawValue { interface = value }
      }
      offset += (length + 3) & ~3
    }
    // Interface 1 is the loopback in every network namespace. A multipath route names none here.
    return table == UInt32(RT_TABLE_MAIN.rawValue) && interface != 1
  }
}
