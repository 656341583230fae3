import Glibc

/// Reads a run's output from a pipe, line by line, without ever waiting and in bounded memory.
public final class OutputReader {
  /// A longer line is passed on in pieces of this many bytes.
  public static let longestLine = 8 * 1024
  /// What is read at most in one turn of the loop: a flood delays nobody.
  static let portion = 64 * 1024

  /// Bytes of output so far, newlines included.
  public private(set) var total: UInt64 = 0

  private var source: FileSource?
  private var splitter = LineSplitter(limit: OutputReader.longestLine)
  private let onLine: (ArraySlice<UInt8>) -> Void
  private let onEnd: () -> Void

  /// Takes over the non-blocking `fd`. `onLine` gets each line without its newline: bytes, since
  /// programs write what they like. `onEnd` is called once: at the end of the file, or by
  /// ``close()``.
  public init(
    owning fd: Int32, onLine: @escaping (ArraySlice<UInt8>) -> Void, onEnd: @escaping () -> Void = {}
  ) {
    self.onLine = onLine
    self.onEnd = onEnd
    source = FileSource(owning: fd, onReadable: { [weak self] in self?.readPortion() })
  }

  public var isOpen: Bool { source != nil }

  /// Takes what is in the pipe now and stops, whoever still holds its other end.
  public func close() {
    readPortion()
    finish()
  }

  private func readPortion() {
    guard let source else { return }
    var left = Self.portion
    while left > 0 {
      let (count, reason) = readOnce(source.fd, min(left, 16 * 1024))
      if count > 0 { left -= count }
      if count == 0 || (count < 0 && reason != EINTR && reason != EAGAIN) { return finish() }
      if count < 0 && reason == EAGAIN { return }
    }
  }

  private func readOnce(_ fd: Int32, _ size: Int) -> (count: Int, errno: Int32) {
    withUnsafeTemporaryAllocation(byteCount: size, alignment: 1) { buffer in
      let count = read(fd, buffer.baseAddress, size)
      let reason = errno
      if count > 0 {
        total &+= UInt64(count)
        splitter.feed(UnsafeRawBufferPointer(rebasing: buffer[..<count]), onLine)
      }
      return (count, reason)
    }
  }

  private func finish() {
    guard let source else { return }
    self.source = nil
    source.cancel()
    splitter.flush(onLine)
    onEnd()
  }
}
