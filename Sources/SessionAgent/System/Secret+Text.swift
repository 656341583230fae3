import CSodium

extension Secret {
  /// Whether every byte is visible ASCII: what a token may be made of (RFC 6749 appendix A, VSCHAR
  /// without the space), so that it can stand in a header and on a line of its own.
  var isVisibleASCII: Bool {
    withBytes { bytes in !bytes.isEmpty && bytes.allSatisfy { $0 > 0x20 && $0 < 0x7f } }
  }

  /// Appends the `application/x-www-form-urlencoded` form of `bytes` (WHATWG URL, "byte serializer").
  func appendFormEncoded(_ bytes: UnsafeRawBufferPointer) {
    for byte in bytes {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "*"):
        append(byte)
      case UInt8(ascii: " "): append(UInt8(ascii: "+"))
      default:
        append(UInt8(ascii: "%"))
        append(Hexadecimal.upper[Int(byte >> 4)])
        append(Hexadecimal.upper[Int(byte & 15)])
      }
    }
  }

  func appendFormEncoded(_ text: String) {
    var text = text
    text.withUTF8 { appendFormEncoded(UnsafeRawBufferPointer($0)) }
  }

  /// These bytes in base64 (RFC 4648 section 4).
  var base64: Secret { encoded(sodium_base64_VARIANT_ORIGINAL) }

  /// These bytes in base64url without padding (RFC 7515 section 2).
  var base64URL: Secret { encoded(sodium_base64_VARIANT_URLSAFE_NO_PADDING) }

  private func encoded(_ variant: Int32) -> Secret {
    let length = sodium_base64_encoded_len(count, variant)
    var text = [CChar](repeating: 0, count: length)
    defer { text.withUnsafeMutableBytes { sodium_memzero($0.baseAddress, $0.count) } }
    withPointer { bytes, count in _ = sodium_bin2base64(&text, length, bytes, count, variant) }
    return text.withUnsafeBytes { Secret(UnsafeRawBufferPointer(rebasing: $0.dropLast())) }
  }

  /// Decodes base64url without padding (RFC 7515 section 2); nil if it is anything else.
  static func decodingBase64URL(_ text: Substring.UTF8View) -> Secret? {
    let text = Array(text)
    var decoded = [UInt8](repeating: 0, count: text.count)
    defer { decoded.withUnsafeMutableBytes { sodium_memzero($0.baseAddress, $0.count) } }
    var length = 0
    let failed = text.withUnsafeBytes { bytes in
      sodium_base642bin(
        &decoded, decoded.count, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count, nil,
        &length, nil, sodium_base64_VARIANT_URLSAFE_NO_PADDING)
    }
    guard failed == 0, length <= decoded.count else { return nil }
    return decoded.withUnsafeBytes { Secret(UnsafeRawBufferPointer(rebasing: $0.prefix(length))) }
  }
}

enum Hexadecimal {
  static let lower = Array("0123456789abcdef".utf8)
  static let upper = Array("0123456789ABCDEF".utf8)

  static func text(_ bytes: some Sequence<UInt8>) -> String {
    String(decoding: bytes.flatMap { [lower[Int($0 >> 4)], lower[Int($0 & 15)]] }, as: UTF8.self)
  }

  /// Nil unless `text` is an even number of hexadecimal digits.
  static func bytes(_ text: Substring) -> [UInt8]? {
    let digits = text.utf8.map { Character(UnicodeScalar($0)).hexDigitValue }
    guard digits.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let high = digits[index], let low = digits[index + 1] else { return nil }
      bytes.append(UInt8(high << 4 | low))
    }
    return bytes
  }
}
