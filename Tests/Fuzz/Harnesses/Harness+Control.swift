@testable import ControlProtocol

extension Harness {
  static let control = [frames, call, reply]

  /// The first byte says how large the pieces are in which the rest arrives.
  private static let frames = Harness("frames") { bytes in
    guard let size = bytes.first else { return }
    let stream = Array(bytes.dropFirst())
    let whole = frames(of: [stream])
    let pieces = stride(from: 0, to: stream.count, by: Int(size % 16) + 1).map { start in
      stream[start..<min(stream.count, start + Int(size % 16) + 1)]
    }
    try expect(frames(of: pieces.map(Array.init)), equals: whole, "pieces make the same frames")
    let limit = stream.split(separator: 0, omittingEmptySubsequences: false).prefix { $0.count <= 64 }
    try expect(Array(limit.prefix(whole.count).map(Array.init)), equals: whole, "frames end at NULs")
  }

  private static func frames(of pieces: [[UInt8]]) -> [[UInt8]] {
    var buffer = FrameBuffer(limit: 64)
    var frames: [[UInt8]] = []
    for piece in pieces {
      buffer.append(piece)
      do throws(ProtocolError) {
        while let frame = try buffer.next() { frames.append(frame) }
      } catch { return frames }
    }
    return frames
  }

  private static let call = Harness("call") { bytes in
    guard let request = try? Request(decoding: bytes) else { return }
    switch request.call {
    case .success(let call):
      let again = try Request(decoding: call.frame).call.get()
      try expect(again, equals: call, "a call survives the wire")
    case .failure(let error):
      try expect(ControlReply.failure(error).frame != nil, "a call that can't be served gets an answer")
    }
  }

  private static let reply = Harness("reply") { bytes in
    if let queue = try? ControlReply.decode(QueueReply.self, from: bytes) {
      let frame = ControlReply.queue(queue.entries, total: queue.total).frame ?? []
      try expect(
        try ControlReply.decode(QueueReply.self, from: frame), equals: queue, "a queue survives the wire")
    }
    if let status = try? ControlReply.decode(StatusReply.self, from: bytes) {
      let frame = ControlReply.status(status.status).frame ?? []
      try expect(
        try ControlReply.decode(StatusReply.self, from: frame), equals: status, "a status survives the wire")
    }
    _ = try? ControlReply.decode(ProvidersReply.self, from: bytes)
    _ = try? ControlReply.decode(ReloadReply.self, from: bytes)
  }
}
