import Dispatch
import Glibc

/// A file descriptor and the event source that watches it, with one lifetime.
///
/// The descriptor is closed only in the source's cancel handler: closed any earlier, its number
/// could be given to another file while the source still watches it.
@MainActor public final class FileSource {
  public let fd: Int32
  private let source: any DispatchSourceProtocol

  /// Takes over `fd` and calls `onReadable` on the main queue as long as it can be read. After the other
  /// end has hung up it is called once more and never again: read until there is nothing left.
  public init(owning fd: Int32, onReadable: @escaping () -> Void) {
    self.fd = fd
    source = DispatchSource.makeReadSource(fileDescriptor: fd, queue: .main)
    start(onReadable)
  }

  /// Takes over `fd` and calls `onWritable` on the main queue as long as it can be written.
  init(owning fd: Int32, onWritable: @escaping () -> Void) {
    self.fd = fd
    source = DispatchSource.makeWriteSource(fileDescriptor: fd, queue: .main)
    start(onWritable)
  }

  private func start(_ handler: @escaping () -> Void) {
    let fd = fd
    source.setEventHandler(handler: handler)
    source.setCancelHandler { Glibc.close(fd) }
    // Releasing a source that was never activated traps.
    source.activate()
  }

  /// Ends the watching and closes the descriptor soon after. Calling it again does nothing.
  public func cancel() { source.cancel() }

  // Needs the class to name its actor: an optimized build forgets a default isolation.
  isolated deinit { source.cancel() }
}
