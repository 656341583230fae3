import Glibc

/// A Unix socket's address: a path, or with a leading `@` a name in the abstract namespace (unix(7)).
public nonisolated struct UnixAddress {
  private var address = sockaddr_un()
  private let length: socklen_t

  /// nil when the name is empty, holds a zero byte, or is longer than the kernel's 107 bytes.
  public init?(_ name: String) {
    var bytes = Array(name.utf8)
    let room = MemoryLayout.size(ofValue: address.sun_path)
    guard !bytes.isEmpty, bytes.count < room, !bytes.contains(0) else { return nil }
    let isAbstract = bytes[0] == UInt8(ascii: "@")
    if isAbstract { bytes[0] = 0 }
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let header = MemoryLayout<sockaddr_un>.size - room
    length = socklen_t(header + bytes.count + (isAbstract ? 0 : 1))
  }

  /// connect(2); 0, or -1 with `errno` set.
  public func connect(_ fd: Int32) -> Int32 { with { Glibc.connect(fd, $0, $1) } }

  func with<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
    }
  }
}
