import Glibc

/// Cuts a stream of bytes into lines of bounded length.
nonisolated struct LineSplitter {
  private let limit: Int
  /// The beginning of a line whose end has not been seen.
  private var rest: [UInt8] = []
  private var isAfterFullPiece = false

  init(limit: Int) { self.limit = limit }

  /// Takes the next line, without its newline, off the front of `bytes`: a piece of `limit` bytes of a
  /// longer one. nil, with all of `bytes` taken, when its end is yet to come.
  mutating func next(in bytes: inout Slice<UnsafeRawBufferPointer>) -> [UInt8]? {
    // A newline right after a full piece ends that piece, not an empty line after it.
    if isAfterFullPiece, let first = bytes.first {
      isAfterFullPiece = false
      if first == UInt8(ascii: "\n") { bytes = bytes.dropFirst() }
    }
    let room = bytes.prefix(limit - rest.count)
    let length = Self.newline(in: room) ?? room.count
    rest.append(contentsOf: UnsafeRawBufferPointer(rebasing: room.prefix(length)))
    bytes = bytes.dropFirst(length)
    if length < room.count {
      bytes = bytes.dropFirst()
      return takeRest()
    }
    guard rest.count == limit else { return nil }
    isAfterFullPiece = true
    return takeRest()
  }

  /// What is left at the end: a last line without a newline.
  mutating func last() -> [UInt8]? { rest.isEmpty ? nil : takeRest() }

  private mutating func takeRest() -> [UInt8] {
    defer { rest = [] }
    return rest
  }

  private static func newline(in bytes: Slice<UnsafeRawBufferPointer>) -> Int? {
    let bytes = UnsafeRawBufferPointer(rebasing: bytes)
    guard let start = bytes.baseAddress, let found = memchr(start, 10, bytes.count) else { return nil }
    return UnsafeRawPointer(found) - start
  }
}
