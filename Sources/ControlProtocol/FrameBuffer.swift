/// Cuts a stream of bytes into frames: Varlink messages are JSON, ended by a NUL byte (varlink.org,
/// "Wire protocol").
///
/// Take every frame with ``next()`` before reading more, and the buffer holds at most one unfinished
/// frame and what one read has brought.
public struct FrameBuffer: Sendable {
  /// The longest frame, in bytes without its NUL.
  public let limit: Int
  private var bytes: [UInt8] = []
  private var start = 0
  /// Up to here there is no NUL.
  private var scanned = 0

  /// A frame of a client is small, one of the daemon may list every job.
  public static let callLimit = 1 << 20
  public static let replyLimit = 1 << 28

  public init(limit: Int = Self.callLimit) { self.limit = limit }

  /// Whether a peer that ends here leaves a message unfinished.
  public var isEmpty: Bool { start == bytes.count }

  public mutating func append(_ more: some Sequence<UInt8>) {
    if start > 0 {
      bytes.removeFirst(start)
      scanned -= start
      start = 0
    }
    bytes.append(contentsOf: more)
  }

  /// The next whole frame without its NUL, or nil when more bytes are needed.
  ///
  /// Throws ``ProtocolError/frameTooLong(limit:)``, again and again, once a frame exceeds the limit.
  public mutating func next() throws(ProtocolError) -> [UInt8]? {
    let end = bytes[scanned...].firstIndex(of: 0)
    scanned = end ?? bytes.count
    guard scanned - start <= limit else { throw .frameTooLong(limit: limit) }
    guard let end else { return nil }
    defer { (start, scanned) = (end + 1, end + 1) }
    return Array(bytes[start..<end])
  }
}
