/// Collects bytes and cuts them at zero bytes.
nonisolated struct FrameBuffer {
  private let limit: Int
  private var bytes: [UInt8] = []
  private var start = 0
  /// Up to here no zero byte was found, so that a long message is scanned once.
  private var scanned = 0

  init(limit: Int) { self.limit = limit }

  mutating func append(_ more: UnsafeRawBufferPointer) {
    if start > 0 {
      bytes.removeFirst(start)
      scanned -= start
      start = 0
    }
    bytes += more
  }

  /// The next whole message without its zero byte; nil when there is none, or the next is too long.
  mutating func next() -> ArraySlice<UInt8>? {
    guard let end = bytes[scanned...].firstIndex(of: 0) else {
      scanned = bytes.count
      return nil
    }
    scanned = end
    guard end - start <= limit else { return nil }
    defer { (start, scanned) = (end + 1, end + 1) }
    return bytes[start..<end]
  }

  /// Whether the message at the front is longer than allowed.
  var isTooLong: Bool { scanned - start > limit }
}
