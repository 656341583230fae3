import CLinux
import Glibc

/// Tells which names in a folder were created, completed, replaced, removed or touched (inotify(7)).
public final class DirectoryWatch {
  public enum Change: Equatable, Sendable {
    /// These names, each once.
    case names([String])
    /// Too much happened at once, or the folder itself went away: look at everything again.
    case everything
  }

  private static let events =
    UInt32(IN_ATTRIB | IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_CLOSE_WRITE)
    | UInt32(IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)

  private var source: FileSource?
  private let onChange: (Change) -> Void

  /// `onChange` is called on the main queue, once for all changes read together.
  public init(folder: String, onChange: @escaping (Change) -> Void) throws(PlatformError) {
    self.onChange = onChange
    let fd = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
    guard fd >= 0 else { throw .last("watch folders") }
    guard inotify_add_watch(fd, folder, Self.events) >= 0 else {
      let failure = PlatformError.last("watch the folder '\(folder)'")
      close(fd)
      throw failure
    }
    source = FileSource(owning: fd, onReadable: { [weak self] in self?.readEvents() })
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
      if count > 0 { changes = Self.parse(UnsafeRawBufferPointer(rebasing: buffer[..<count])) }
    }
    if changes.isEverything {
      onChange(.everything)
    } else if !changes.names.isEmpty {
      onChange(.names(changes.names))
    }
  }

  struct Collected {
    var names: [String] = []
    var isEverything = false
  }

  /// struct inotify_event: wd, mask, cookie, len, each of 4 bytes, then `len` bytes of name.
  private static func parse(_ bytes: UnsafeRawBufferPointer) -> Collected {
    var collected = Collected()
    var offset = 0
    while offset + 16 <= bytes.count {
      let mask = bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
      let length = Int(bytes.loadUnaligned(fromByteOffset: offset + 12, as: UInt32.self))
      let end = offset + 16 + length
      guard end <= bytes.count else { break }
      let isLost = mask & UInt32(IN_Q_OVERFLOW | IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED | IN_UNMOUNT) != 0
      collected.isEverything = collected.isEverything || isLost
      let name = String(decoding: bytes[(offset + 16)..<end].prefix { $0 != 0 }, as: UTF8.self)
      if !name.isEmpty, !collected.names.contains(name) { collected.names.append(name) }
      offset = end
    }
    return collected
  }
}
