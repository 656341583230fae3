import AuthCache
import AuthModel
import Glibc

/// A folder of the test's own, removed with everything in it.
final class TemporaryFolder: Sendable {
  let path: String

  init() {
    var template = Array("/tmp/nightlatch-auth-cache.XXXXXX".utf8CString)
    path = mkdtemp(&template).map { String(cString: $0) } ?? "/nonexistent"
  }

  deinit { remove(path) }

  private func remove(_ folder: String) {
    for name in Self.names(in: folder) {
      let path = "\(folder)/\(name)"
      if unlink(path) != 0 { remove(path) }
    }
    rmdir(folder)
  }

  var file: AuthCacheFile { AuthCacheFile(path: "\(path)/work") }

  /// What is in it, hidden files included.
  var names: [String] { Self.names(in: path) }

  private static func names(in folder: String) -> [String] {
    guard let stream = opendir(folder) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names.sorted()
  }
}

func status(of path: String) -> stat {
  var status = stat()
  lstat(path, &status)
  return status
}

/// Writes a file as any program would that knows nothing of its format.
func write(_ bytes: [UInt8], to path: String) {
  let fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
  defer { close(fd) }
  _ = bytes.withUnsafeBytes { Glibc.write(fd, $0.baseAddress, $0.count) }
}

func contents(of path: String) -> [UInt8] {
  let fd = open(path, O_RDONLY)
  defer { close(fd) }
  var bytes = [UInt8](repeating: 0, count: 1 << 16)
  let count = read(fd, &bytes, bytes.count)
  return Array(bytes.prefix(max(0, count)))
}
