import Glibc

/// Reads a run's output from a pipe, line by line, without ever waiting, in bounded memory, and a bounded
/// number of lines in one turn of the loop: a flood delays nobody but the job that floods.
@MainActor public final class OutputReader {
  /// A longer line is passed on in pieces of this many bytes.
  public static let longestLine = 8 * 1024
  /// What is read at most, and passed on at most, in one turn of the loop.
  static let portion = 16 * 1024
  static let linesInTurn = 128

  /// Bytes of output so far, newlines included.
  public private(set) var total: UInt64 = 0

  private var source: FileSource?
  private var splitter = LineSplitter(limit: OutputReader.longestLine)
  /// What has been read; from `start` on it has not been passed on.
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: portion, alignment: 16)
  private var pending = 0..<0
  private var isTurnPlanned = false
  private let onLine: ([UInt8]) -> Void
  private let onEnd: () -> Void

  /// Takes over the non-blocking `fd`. `onLine` gets each line without its newline: bytes, since
  /// programs write what they like. `onEnd` is called once: at the end of the file, or by
  /// ``close()``.
  public init(
    owning fd: Int32, onLine: @escaping ([UInt8]) -> Void, onEnd: @escaping () -> Void = {}
  ) {
    self.onLine = onLine
    self.onEnd = onEnd
    source = FileSource(owning: fd, onReadable: { [weak self] in self?.readable() })
  }

  public var isOpen: Bool { source != nil }

  /// Takes what is in the pipe now, a pipe's capacity at most, and stops, whoever still holds its other
  /// end.
  public func close() {
    var left = 64 * 1024
    while isOpen, left > 0 {
      pass(lines: .max)
      let before = total
      guard read() else { break }
      left -= Int(total - before)
    }
    pass(lines: .max)
    finish()
  }

  private func readable() {
    if !isTurnPlanned { turn() }
  }

  /// Goes on until the pipe is empty, a turn of the loop at a time: once its writers are gone, Dispatch
  /// reports a pipe only one more time, however much is left in it.
  private func turn() {
    if pending.isEmpty, !read() { return }
    pass(lines: Self.linesInTurn)
    guard isOpen else { return }
    isTurnPlanned = true
    Later.run { [weak self] in
      self?.isTurnPlanned = false
      self?.turn()
    }
  }

  /// Fills the buffer; false when there is nothing to be had now, or ever again.
  private func read() -> Bool {
    guard let source else { return false }
    let count = Glibc.read(source.fd, buffer.baseAddress, buffer.count)
    guard count > 0 else {
      if count == 0 || errno != EAGAIN { finish() }
      return false
    }
    total &+= UInt64(count)
    pending = 0..<count
    return true
  }

  private func pass(lines: Int) {
    var left = lines
    while left > 0, !pending.isEmpty {
      var bytes = UnsafeRawBufferPointer(buffer)[pending]
      let line = splitter.next(in: &bytes)
      // Before the line is passed on: its receiver may close this reader.
      pending = bytes.startIndex..<bytes.endIndex
      if let line { onLine(line) }
      left -= 1
    }
  }

  private func finish() {
    guard let source else { return }
    self.source = nil
    source.cancel()
    if let line = splitter.last() { onLine(line) }
    onEnd()
  }

  // Needs the class to name its actor: an optimized build forgets a default isolation.
  isolated deinit { buffer.deallocate() }
}
