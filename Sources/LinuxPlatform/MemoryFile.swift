import CLinux
import Glibc

/// A file in memory that holds a few bytes and that nobody can change any more (memfd_create(2),
/// F_ADD_SEALS): how a child is given a secret without a path.
public nonisolated enum MemoryFile {
  /// The caller owns the descriptor, which stands at the file's beginning.
  public static func sealed(_ name: String, _ bytes: [UInt8]) throws(PlatformError) -> Int32 {
    let fd = nl_memory_file(name)
    guard fd >= 0 else { throw .last("create the memory file '\(name)'") }
    let count = bytes.withUnsafeBytes { write(fd, $0.baseAddress, $0.count) }
    guard count == bytes.count, lseek(fd, 0, SEEK_SET) == 0, nl_seal(fd) == 0 else {
      let failure = PlatformError.last("fill the memory file '\(name)'")
      close(fd)
      throw failure
    }
    return fd
  }
}
