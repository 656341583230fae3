/// What a connection to the loopback listener has sent so far.
///
/// Anything on this machine can connect, so nothing is believed: only the one request that answers
/// our question, recognised by its `state`, is more than a stranger's.
enum LoopbackRequest {
  /// The head is not complete yet.
  case incomplete
  /// `GET` of the expected path: its query.
  case query(Secret)
  /// Anything else, and the status to answer it with.
  case refused(LoopbackReply)

  /// A browser sends its headers too; more than this is nobody who means well.
  static let headLimit = 16 << 10

  /// - Parameter head: all bytes of the connection so far.
  init(_ head: Secret, path: String) {
    self = head.withBytes { bytes in Self.parse(bytes, path: path) }
  }

  private static func parse(_ bytes: UnsafeRawBufferPointer, path: String) -> LoopbackRequest {
    // The whole head, although its first line says it all: closing a connection with bytes unread
    // would take the answer back.
    guard hasEnd(bytes) else { return bytes.count < headLimit ? .incomplete : .refused(.tooLarge) }
    return request(line: bytes.prefix { $0 != UInt8(ascii: "\n") }, path: path)
  }

  /// An empty line, its carriage return optional (RFC 9112 section 2.2).
  private static func hasEnd(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var isEmptyLine = false
    for byte in bytes {
      if byte == UInt8(ascii: "\n") {
        if isEmptyLine { return true }
        isEmptyLine = true
      } else if byte != UInt8(ascii: "\r") {
        isEmptyLine = false
      }
    }
    return false
  }

  /// RFC 9112 section 3: method, target, version.
  private static func request(line: Slice<UnsafeRawBufferPointer>, path: String) -> LoopbackRequest {
    let line = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
    let words = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
    guard words.count == 3,
      words[2].elementsEqual("HTTP/1.1".utf8) || words[2].elementsEqual("HTTP/1.0".utf8),
      words[1].allSatisfy({ $0 > 0x20 && $0 < 0x7f })
    else { return .refused(.malformed) }
    let target = words[1].prefix { $0 != UInt8(ascii: "?") }
    guard target.elementsEqual(path.utf8) else { return .refused(.otherPath) }
    guard words[0].elementsEqual("GET".utf8) else { return .refused(.otherMethod) }
    return .query(Secret(UnsafeRawBufferPointer(rebasing: words[1].dropFirst(target.count + 1))))
  }
}
