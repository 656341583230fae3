/// CRC-32C, the Castagnoli checksum of RFC 3720 section 12.1: it detects every burst of damage up
/// to 32 bits long. It guards against torn and damaged bytes, not against forgery.
struct CRC32C {
  private var register: UInt32 = 0xffff_ffff

  var value: UInt32 { ~register }

  mutating func update(_ bytes: ArraySlice<UInt8>) {
    for byte in bytes {
      register = Self.table[Int(UInt8(truncatingIfNeeded: register) ^ byte)] ^ (register >> 8)
    }
  }

  /// The remainder of each byte by the reflected polynomial.
  private static let table: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { remainder, _ in
      (remainder >> 1) ^ (remainder & 1 == 1 ? 0x82f6_3b78 : 0)
    }
  }
}
