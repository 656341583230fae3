/// An answer that is not quite JSON, made readable: what a server got wrong in a name for people must not cost
/// the tokens beside it, which can't be had twice.
///
/// Mended are invalid UTF-8, a byte order mark, escapes of NUL and of half a surrogate pair (RFC 8259 section
/// 8.2), raw control characters in strings, and numbers that no `Double` holds. An answer that is cut off
/// stays unreadable.
struct MendedJSON {
  private(set) var bytes: [UInt8] = []
  private var rest: ArraySlice<UInt8>

  private static let replacement = Array("\\ufffd".utf8)

  init(_ text: UnsafeRawBufferPointer) {
    rest = Array(String(decoding: text, as: UTF8.self).utf8)[...]
    if rest.starts(with: [0xef, 0xbb, 0xbf]) { rest = rest.dropFirst(3) }
    bytes.reserveCapacity(rest.count)
    while let byte = rest.first {
      switch byte {
      case UInt8(ascii: "\""): string()
      case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): number()
      default: take(1)
      }
    }
  }

  private mutating func take(_ count: Int) {
    bytes += rest.prefix(count)
    rest = rest.dropFirst(count)
  }

  private mutating func replace(_ count: Int, by other: [UInt8]) {
    bytes += other
    rest = rest.dropFirst(count)
  }

  private mutating func string() {
    take(1)
    while let byte = rest.first {
      switch byte {
      case UInt8(ascii: "\\"): escape()
      case 0..<0x20: replace(1, by: [0x20])
      default: take(1)
      }
      if byte == UInt8(ascii: "\"") { return }
    }
  }

  private mutating func escape() {
    switch codeUnit(rest) {
    case (0xd800..<0xdc00)?:
      let low = codeUnit(rest.dropFirst(6))
      if let low, 0xdc00..<0xe000 ~= low { take(12) } else { replace(6, by: Self.replacement) }
    case 0?, (0xdc00..<0xe000)?: replace(6, by: Self.replacement)
    default: take(2)
    }
  }

  /// Of an escape such as `\u0041`; nil for any other text.
  private func codeUnit(_ text: ArraySlice<UInt8>) -> Int? {
    guard text.count >= 6, text.starts(with: Array("\\u".utf8)) else { return nil }
    let digits = text.dropFirst(2).prefix(4)
    guard digits.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }) else { return nil }
    return Int(String(decoding: digits, as: UTF8.self), radix: 16)
  }

  private mutating func number() {
    let digits = rest.prefix { "0123456789+-.eE".utf8.contains($0) }
    let value = Double(String(decoding: digits, as: UTF8.self))
    if value?.isFinite == false { replace(digits.count, by: [UInt8(ascii: "0")]) } else { take(digits.count) }
  }
}
