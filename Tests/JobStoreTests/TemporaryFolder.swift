import Glibc

/// A folder under /tmp that is removed, with the files in it, at the end of the object's life.
nonisolated final class TemporaryFolder: Sendable {
  let path: String

  init() {
    var template = Array("/tmp/nightlatch-store-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { fatalError("mkdtemp: \(String(cString: strerror(errno)))") }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  var ledger: String { "\(path)/ledger.db" }

  deinit {
    for file in files { unlink("\(path)/\(file)") }
    rmdir(path)
  }

  /// The names of the files in it.
  var files: [String] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names.sorted()
  }
}
