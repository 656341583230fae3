import Scheduling

/// The bytes of one encoded snapshot and the primitive values in them, at given offsets.
struct SnapshotImage {
  private(set) var bytes: [UInt8]

  init() { bytes = [UInt8](repeating: 0, count: SnapshotEncoding.byteCount) }

  /// The image that `bytes` begin with, of whatever version; nil unless its checksum is right.
  init?(intact bytes: [UInt8]) {
    guard bytes.count >= SnapshotEncoding.headerByteCount else { return nil }
    self.bytes = bytes
    let length: UInt32 = integer(at: SnapshotEncoding.Offset.length)
    guard let count = Int(exactly: length), SnapshotEncoding.headerByteCount...bytes.count ~= count
    else { return nil }
    self.bytes.removeSubrange(count...)
    guard integer(at: SnapshotEncoding.Offset.magic) == SnapshotEncoding.magic,
      integer(at: SnapshotEncoding.Offset.checksum) == checksum
    else { return nil }
  }

  var version: UInt32 { integer(at: SnapshotEncoding.Offset.version) }

  /// The CRC-32C of everything but the checksum field itself.
  var checksum: UInt32 {
    var crc = CRC32C()
    crc.update(bytes[..<SnapshotEncoding.Offset.checksum])
    crc.update(bytes[SnapshotEncoding.headerByteCount...])
    return crc.value
  }
}

extension SnapshotImage {
  func byte(at offset: Int) -> UInt8 { bytes[offset] }

  func integer<Value: FixedWidthInteger>(at offset: Int) -> Value {
    let width = Value.bitWidth / 8
    return bytes[offset..<offset + width].reversed().reduce(0) { $0 << 8 | Value(truncatingIfNeeded: $1) }
  }

  func duration(at offset: Int) -> Duration { .microseconds(integer(at: offset) as Int64) }

  func moment(at offset: Int, bootIDAt bootIDOffset: Int) -> Moment? {
    string(at: bootIDOffset, width: SnapshotEncoding.Width.bootID).map { bootID in
      Moment(
        bootID: BootID(bootID),
        now: Now(
          boot: Instant(microseconds: integer(at: offset)),
          wall: WallTime(microseconds: integer(at: offset + 8))))
    }
  }

  /// Nil when the length is beyond the field or the bytes are not UTF-8.
  func string(at offset: Int, width: Int) -> String? {
    let count = Int(integer(at: offset) as UInt16)
    guard count <= width - 2 else { return nil }
    return String(validating: bytes[offset + 2..<offset + 2 + count], as: UTF8.self)
  }
}

extension SnapshotImage {
  mutating func put<Value: FixedWidthInteger>(_ value: Value, at offset: Int) {
    for index in 0..<Value.bitWidth / 8 {
      bytes[offset + index] = UInt8(truncatingIfNeeded: value >> (8 * index))
    }
  }

  mutating func put(_ moment: Moment, at offset: Int, bootIDAt bootIDOffset: Int) {
    put(moment.boot.microseconds, at: offset)
    put(moment.wall.microseconds, at: offset + 8)
    put(moment.bootID.description, at: bootIDOffset, width: SnapshotEncoding.Width.bootID)
  }

  mutating func clear(at offset: Int, width: Int) {
    bytes.replaceSubrange(offset..<offset + width, with: repeatElement(0, count: width))
  }

  /// Cuts the string where it outgrows the field, never within a scalar.
  mutating func put(_ string: String, at offset: Int, width: Int) {
    var count = 0
    for scalar in string.unicodeScalars {
      let encoded = UTF8.width(scalar)
      guard count + encoded <= width - 2 else { break }
      count += encoded
    }
    put(UInt16(count), at: offset)
    bytes.replaceSubrange(offset + 2..<offset + 2 + count, with: string.utf8.prefix(count))
  }
}
