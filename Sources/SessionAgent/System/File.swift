import CSodium
import Glibc

/// Files as the session store needs them: read whole and bounded, replaced whole and durably.
enum File {
  /// The whole file; nil if there is none. A file larger than `limit` is an error (EFBIG), and so
  /// is anything that is not a regular file (EINVAL).
  static func read(_ path: String, limit: Int, isPrivate: Bool = false) throws(AgentError) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw .system(action: "read", path: path, code: errno)
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw .system(action: "read", path: path, code: EINVAL)
    }
    let isOwn = status.st_uid == geteuid() || status.st_uid == 0
    guard !isPrivate || isOwn && status.st_mode & (S_IRWXG | S_IRWXO) == 0 else {
      throw .exposedSecret(path: path)
    }
    var bytes = [UInt8](repeating: 0, count: limit + 1)
    var count = 0
    while count < bytes.count {
      let got = bytes.withUnsafeMutableBytes { buffer in
        Glibc.read(descriptor, buffer.baseAddress.map { $0 + count }, buffer.count - count)
      }
      if got < 0 && errno == EINTR { continue }
      guard got >= 0 else { throw .system(action: "read", path: path, code: errno) }
      if got == 0 { break }
      count += got
    }
    guard count <= limit else { throw .system(action: "read", path: path, code: EFBIG) }
    bytes.removeLast(bytes.count - count)
    return bytes
  }

  /// As ``read(_:limit:)``, into memory that is wiped.
  ///
  /// - Parameter isPrivate: refuse a file that others may read, or that belongs to somebody else.
  static func readSecret(_ path: String, limit: Int, isPrivate: Bool) throws(AgentError) -> Secret? {
    guard var bytes = try read(path, limit: limit, isPrivate: isPrivate) else { return nil }
    defer { wipe(&bytes) }
    return bytes.withUnsafeBytes { Secret($0) }
  }

  static func wipe(_ bytes: inout [UInt8]) {
    bytes.withUnsafeMutableBytes { sodium_memzero($0.baseAddress, $0.count) }
  }

  /// Creates the folder and its parents, each for its owner alone.
  static func makeFolder(_ path: String, mode: mode_t = 0o700) throws(AgentError) {
    if mkdir(path, mode) == 0 || errno == EEXIST { return }
    let code = errno
    guard code == ENOENT, let slash = path.lastIndex(of: "/"), slash != path.startIndex else {
      throw .system(action: "create the folder", path: path, code: code)
    }
    try makeFolder(String(path[..<slash]), mode: mode)
    guard mkdir(path, mode) == 0 || errno == EEXIST else {
      throw .system(action: "create the folder", path: path, code: errno)
    }
  }

  /// Makes the folder's entries durable: without it a rename may be undone by a power cut.
  static func syncFolder(of path: String) throws(AgentError) {
    let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    let descriptor = open(folder.isEmpty ? "/" : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .system(action: "open the folder", path: folder, code: errno) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw .system(action: "sync the folder", path: folder, code: errno) }
  }

  static func writeAll(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int32 {
    var offset = 0
    while offset < bytes.count {
      let written = Glibc.write(descriptor, bytes.baseAddress.map { $0 + offset }, bytes.count - offset)
      if written < 0 && errno == EINTR { continue }
      guard written > 0 else { return written < 0 ? errno : EIO }
      offset += written
    }
    return 0
  }
}
