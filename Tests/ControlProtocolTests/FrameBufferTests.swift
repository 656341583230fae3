import ControlProtocol
import Testing

@Suite struct FrameBufferTests {
  let stream = Array("one\0\0three\0fo".utf8)

  @Test(arguments: 1...13) func `frames are the same however the bytes arrive`(_ size: Int) throws {
    var (buffer, frames) = (FrameBuffer(), [String]())
    for start in stride(from: 0, to: stream.count, by: size) {
      buffer.append(stream[start..<min(start + size, stream.count)])
      while let frame = try buffer.next() { frames.append(String(decoding: frame, as: UTF8.self)) }
    }
    #expect(frames == ["one", "", "three"])
    #expect(!buffer.isEmpty)
  }

  @Test func `a frame of exactly the limit passes and one byte more does not`() throws {
    var buffer = FrameBuffer(limit: 4)
    buffer.append(Array("abcd\0".utf8))
    #expect(try buffer.next() == Array("abcd".utf8))
    #expect(buffer.isEmpty)
    buffer.append(Array("abcde".utf8))
    #expect(throws: ProtocolError.frameTooLong(limit: 4)) { try buffer.next() }
    buffer.append([0])
    #expect(throws: ProtocolError.frameTooLong(limit: 4)) { try buffer.next() }
  }

  @Test func `a long frame behind a short one is noticed`() throws {
    var buffer = FrameBuffer(limit: 3)
    buffer.append(Array("a\0bcdef".utf8))
    #expect(try buffer.next() == Array("a".utf8))
    #expect(throws: ProtocolError.frameTooLong(limit: 3)) { try buffer.next() }
  }
}
