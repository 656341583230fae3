import Glibc

/// A file descriptor and the watch on it, with one lifetime.
@MainActor public final class FileSource {
  public let fd: Int32
  private var token: UInt64?

  /// Takes over `fd` and calls `onReadable` on the main queue as long as it can be read, also after the other
  /// end has hung up: read to the end, then ``cancel()``.
  public init(owning fd: Int32, onReadable: @escaping () -> Void) {
    self.fd = fd
    token = Readiness.shared.watch(fd, writable: false, onReadable)
  }

  /// Takes over `fd` and calls `onWritable` on the main queue as long as it can be written.
  init(owning fd: Int32, onWritable: @escaping () -> Void) {
    self.fd = fd
    token = Readiness.shared.watch(fd, writable: true, onWritable)
  }

  /// Ends the watching and closes the descriptor. Calling it again does nothing.
  public func cancel() {
    guard let token else { return }
    self.token = nil
    Readiness.shared.forget(token, fd)
    close(fd)
  }

  // Needs the class to name its actor: an optimized build forgets a default isolation.
  isolated deinit { cancel() }
}
