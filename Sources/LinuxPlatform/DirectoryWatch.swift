import CLinux
import Glibc

/// Tells which names in a folder were created, completed, replaced, removed or touched (inotify(7)).
///
/// The folder need not exist: until it does, the nearest folder above it is watched instead.
public final class DirectoryWatch {
  public enum Change: Equatable, Sendable {
    /// These names, each once.
    case names([String])
    /// Too much happened at once, or the folder itself came or went: look at everything again.
    case everything

    public func mayConcern(_ name: String) -> Bool {
      switch self {
      case .names(let names): names.contains(name)
      case .everything: true
      }
    }
  }

  private static let events =
    UInt32(IN_ATTRIB | IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_CLOSE_WRITE)
    | UInt32(IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)

  private let folder: String
  private let onChange: (Change) -> Void
  private var source: FileSource?
  /// What is being watched: the folder, or one above it.
  private var watched: (descriptor: Int32, path: String)

  /// `onChange` is called on the main queue, once for all changes read together.
  public init(folder: String, onChange: @escaping (Change) -> Void) throws(PlatformError) {
    self.folder = folder
    self.onChange = onChange
    let fd = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
    guard fd >= 0 else { throw .last("watch folders") }
    do {
      watched = try Self.watch(fd, folder)
    } catch {
      close(fd)
      throw error
    }
    source = FileSource(owning: fd, onReadable: { [weak self] in self?.readEvents() })
  }

  /// Whether the folder exists, as far as the watch knows.
  var isFolderThere: Bool { watched.path == folder }

  /// Watches the folder, or the nearest one above it that exists.
  private static func watch(
    _ fd: Int32, _ folder: String
  ) throws(PlatformError) -> (descriptor: Int32, path: String) {
    var path = folder
    while true {
      let descriptor = inotify_add_watch(fd, path, events)
      if descriptor >= 0 {
        // What was missing may have been created just before the watch began.
        let next = try? FileStatus(following: child(of: path, towards: folder))
        guard path != folder, next?.isFolder == true else {
          return (descriptor, path)
        }
        inotify_rm_watch(fd, descriptor)
        path = folder
        continue
      }
      let error = PlatformError.last("watch the folder '\(path)'")
      guard error.isAbsence, let slash = path.lastIndex(of: "/"), path != "/" else { throw error }
      path = slash == path.startIndex ? "/" : String(path[..<slash])
    }
  }

  private static func child(of path: String, towards folder: String) -> String {
    let start = path == "/" ? 1 : path.count + 1
    let name = folder.dropFirst(start).prefix { $0 != "/" }
    return path == "/" ? "/\(name)" : "\(path)/\(name)"
  }

  public func cancel() {
    source?.cancel()
    source = nil
  }

  private func readEvents() {
    guard let source else { return }
    var changes = Self.Collected()
    withUnsafeTemporaryAllocation(byteCount: 16 * 1024, alignment: 8) { buffer in
      let count = read(source.fd, buffer.baseAddress, buffer.count)
      if count > 0 {
        changes = Self.parse(UnsafeRawBufferPointer(rebasing: buffer[..<count]), of: watched.descriptor)
      }
    }
    if changes.isEverything || !isFolderThere {
      let wasThere = isFolderThere
      move(source.fd)
      if wasThere || isFolderThere { onChange(.everything) }
    } else if !changes.names.isEmpty {
      onChange(.names(changes.names))
    }
  }

  /// Watches again, as near to the folder as possible now. When even that fails (no more watches), what
  /// is watched stays.
  private func move(_ fd: Int32) {
    let old = watched
    guard let new = try? Self.watch(fd, folder) else { return }
    watched = new
    if new.descriptor != old.descriptor { inotify_rm_watch(fd, old.descriptor) }
  }

  struct Collected {
    var names: [String] = []
    var isEverything = false
  }

  /// Events of a watch that was given up don't count; an overflow belongs to no watch.
  ///
  /// struct inotify_event: wd, mask, cookie, len, each of 4 bytes, then `len` bytes of name.
  private static func parse(_ bytes: UnsafeRawBufferPointer, of descriptor: Int32) -> Collected {
    var collected = Collected()
    var offset = 0
    while offset + 16 <= bytes.count {
      let mask = bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
      let length = Int(bytes.loadUnaligned(fromByteOffset: offset + 12, as: UInt32.self))
      let end = offset + 16 + length
      guard end <= bytes.count else { break }
      let source = bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self)
      offset = end
      guard source == descriptor || mask & UInt32(IN_Q_OVERFLOW) != 0 else { continue }
      let isLost = mask & UInt32(IN_Q_OVERFLOW | IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED | IN_UNMOUNT) != 0
      collected.isEverything = collected.isEverything || isLost
      let name = String(decoding: bytes[(end - length)..<end].prefix { $0 != 0 }, as: UTF8.self)
      if !name.isEmpty, !collected.names.contains(name) { collected.names.append(name) }
    }
    return collected
  }
}
