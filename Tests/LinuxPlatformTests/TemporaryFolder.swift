import Glibc

@testable import LinuxPlatform

/// A folder of its own for one test, removed with its last reference.
final class TemporaryFolder {
  let path: String

  init() throws {
    var template = Array("/tmp/nightlatch-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw PlatformError.last("create a temporary folder") }
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  func file(_ name: String, _ text: String = "", mode: mode_t = 0o644) throws -> String {
    let path = "\(path)/\(name)"
    let fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
    guard fd >= 0 else { throw PlatformError.last("create \(path)") }
    defer { close(fd) }
    _ = fchmod(fd, mode)
    let bytes = Array(text.utf8)
    guard write(fd, bytes, bytes.count) == bytes.count else { throw PlatformError.last("write \(path)") }
    return path
  }

  func folder(_ name: String, mode: mode_t = 0o755) throws -> String {
    let path = "\(path)/\(name)"
    guard mkdir(path, mode) == 0 else { throw PlatformError.last("create \(path)") }
    return path
  }

  isolated deinit { Self.remove(path) }

  private static func remove(_ path: String) {
    if let status = try? FileStatus(of: path), status.isFolder {
      for name in SourceFiles.names(in: path) ?? [] { remove("\(path)/\(name)") }
      rmdir(path)
    } else {
      unlink(path)
    }
  }
}
