@testable import LinuxPlatform

extension Harness {
  static let platform = [messages, lines, processStatus, routes]

  /// The daemon's own frame buffer; the first byte is the size of the pieces.
  private static let messages = Harness("messages") { bytes in
    guard let size = bytes.first else { return }
    let stream = Array(bytes.dropFirst())
    var buffer = FrameBuffer(limit: 64)
    var found: [[UInt8]] = []
    for start in stride(from: 0, to: stream.count, by: Int(size % 16) + 1) where !buffer.isTooLong {
      stream[start..<min(stream.count, start + Int(size % 16) + 1)].withUnsafeBytes { buffer.append($0) }
      while let message = buffer.next() { found.append(Array(message)) }
    }
    let expected = stream.split(separator: 0, omittingEmptySubsequences: false).dropLast().prefix {
      $0.count <= 64
    }
    try expect(found, equals: expected.map(Array.init), "messages end at NULs")
  }

  /// Pieces of 8 bytes at most; the first byte is where the stream is cut in two.
  private static let lines = Harness("lines") { bytes in
    guard let cut = bytes.first else { return }
    let stream = Array(bytes.dropFirst())
    let halves = [stream.prefix(Int(cut)), stream.dropFirst(Int(cut))]
    try expect(lines(of: halves.map(Array.init)), equals: lines(of: [stream]), "a cut changes nothing")
    let expected = stream.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).flatMap {
      line in
      line.isEmpty ? [[]] : stride(from: 0, to: line.count, by: 8).map { Array(line.dropFirst($0).prefix(8)) }
    }
    let isWhole = stream.last.map { $0 == UInt8(ascii: "\n") } ?? true
    try expect(lines(of: [stream]), equals: isWhole ? expected.dropLast() : expected, "lines end at newlines")
  }

  private static func lines(of pieces: [[UInt8]]) -> [[UInt8]] {
    var splitter = LineSplitter(limit: 8)
    var lines: [[UInt8]] = []
    for piece in pieces {
      piece.withUnsafeBytes { bytes in
        var rest = bytes[...]
        while let line = splitter.next(in: &rest) { lines.append(line) }
      }
    }
    return lines + (splitter.last().map { [$0] } ?? [])
  }

  private static let processStatus = Harness("proc-stat") { bytes in
    guard let entry = ProcessTable.parse(String(input: bytes)) else { return }
    let again =
      "1 (a) b) \(entry.isZombie ? "Z" : "S") \(entry.parent) \(entry.group) \(entry.session)"
      + String(repeating: " 0", count: 15) + " \(entry.startTicks) 0"
    try expect(ProcessTable.parse(again), equals: entry, "fields are counted from the last bracket")
  }

  private static let routes = Harness("routes") { bytes in
    let scan = bytes.withUnsafeBytes { RouteTable.scan($0) }
    guard case .refused(let reason) = scan else { return }
    try expect(reason != 0, "a refusal has a reason")
  }
}
