import Glibc

/// Reads small files whole: sources of configuration and the kernel's own.
public nonisolated enum SourceFiles {
  /// One `*.toml` file: its name without the ending, where it was found, and what it holds.
  public struct Source: Sendable {
    public var name: String
    public var path: String
    public var text: [UInt8]
  }

  /// A file or folder that can't be read, and why.
  public struct Failure: Sendable, Equatable {
    public var path: String
    public var message: String
    /// Whether nobody knows what else is in it.
    public var isFolder: Bool
  }

  /// Larger than any configuration file has a reason to be.
  public static let limit = 1 << 20

  /// The paths of the `*.toml` files of `folders`, by name; a file in an earlier folder hides those of
  /// the same name in later ones (even when it can't be read), as with systemd's units. Hidden files and
  /// editors' leftovers don't count; a missing folder is an empty one.
  public static func list(folders: [String]) -> (paths: [String: String], failures: [Failure]) {
    var paths: [String: String] = [:]
    var failures: [Failure] = []
    for folder in folders {
      guard let files = names(in: folder) else {
        // A file in its place (ENOTDIR) is not taken for a missing folder: somebody meant something by it.
        if errno != ENOENT {
          let message = PlatformError.last("list '\(folder)'").description
          failures.append(Failure(path: folder, message: message, isFolder: true))
        }
        continue
      }
      for file in files where file.hasSuffix(".toml") && !file.hasPrefix(".") {
        let name = String(file.dropLast(5))
        paths[name] = paths[name] ?? "\(folder)/\(file)"
      }
    }
    return (paths, failures)
  }

  /// The files that ``list(folders:)`` names, by name, and what they hold.
  public static func load(folders: [String]) -> (sources: [Source], failures: [Failure]) {
    let (paths, unlisted) = list(folders: folders)
    var failures = unlisted
    var sources: [Source] = []
    for (name, path) in paths.sorted(by: { $0.key < $1.key }) {
      do {
        sources.append(Source(name: name, path: path, text: try bytes(of: path, limit: limit)))
      } catch {
        failures.append(Failure(path: path, message: error.description, isFolder: false))
      }
    }
    return (sources, failures)
  }

  /// The first of `paths` that exists, for a single file such as `nightlatch.toml`; nil when none does. One that
  /// may not be looked at counts as existing, and can't be read.
  public static func first(of paths: [String]) throws(PlatformError) -> Source? {
    for path in paths {
      do { _ = try FileStatus(of: path) } catch { if error.isAbsence { continue } }
      let file = path.split(separator: "/").last.map(String.init) ?? path
      let name = file.hasSuffix(".toml") ? String(file.dropLast(5)) : file
      return Source(name: name, path: path, text: try bytes(of: path, limit: limit))
    }
    return nil
  }

  /// The whole file. Throws for anything but a regular file (a FIFO would block the daemon), and for
  /// one larger than `limit`.
  public static func bytes(of path: String, limit: Int) throws(PlatformError) -> [UInt8] {
    let fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard fd >= 0 else { throw .last("read '\(path)'") }
    defer { close(fd) }
    let status = try FileStatus(fd: fd, to: "read '\(path)'")
    guard status.isRegular else {
      throw .system(attempt: "read '\(path)'", errno: status.isFolder ? EISDIR : EINVAL)
    }
    guard status.size <= limit else { throw .fileTooLarge(path, limit: limit) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: min(max(Int(status.size) + 1, 512), 64 * 1024))
    while true {
      let count = read(fd, &chunk, chunk.count)
      if count == 0 { return bytes }
      guard count > 0 else {
        if errno == EINTR { continue }
        throw .last("read '\(path)'")
      }
      // The kernel's files say they are empty.
      guard bytes.count + count <= limit else { throw .fileTooLarge(path, limit: limit) }
      bytes += chunk[..<count]
    }
  }

  public static func text(of path: String, limit: Int) throws(PlatformError) -> String {
    String(decoding: try bytes(of: path, limit: limit), as: UTF8.self)
  }

  /// The names in a folder, without `.` and `..`; nil, with `errno` set, when it can't be listed.
  static func names(in folder: String) -> [String]? {
    guard let stream = opendir(folder) else { return nil }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }
}
