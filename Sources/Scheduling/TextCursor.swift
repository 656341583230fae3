/// Reads a text byte by byte; every grammar of this module is ASCII but for the micro sign.
struct TextCursor {
  let bytes: [UInt8]
  var position = 0

  init(_ text: some StringProtocol) { bytes = Array(text.utf8) }

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { position >= bytes.count }

  /// The next byte; nil at the end.
  var next: UInt8? { peek(0) }

  func peek(_ distance: Int) -> UInt8? {
    let index = position + distance
    return index < bytes.count ? bytes[index] : nil
  }

  /// Moves past `character` if it comes next.
  mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  /// Moves past `word` if it comes next; ASCII letters match in either case if asked to.
  mutating func take(word: String, ignoringCase: Bool = false) -> Bool {
    var distance = 0
    for expected in word.utf8 {
      guard let found = peek(distance) else { return false }
      let same = ignoringCase ? lowercase(found) == lowercase(expected) : found == expected
      guard same else { return false }
      distance += 1
    }
    position += distance
    return true
  }

  mutating func skip(while condition: (UInt8) -> Bool) {
    while let byte = next, condition(byte) { position += 1 }
  }

  mutating func skipBlanks() { skip { $0 == UInt8(ascii: " ") } }

  /// A run of digits, at most `limit`; nil without one or when it is larger.
  mutating func number(upTo limit: Int64) -> Int64? {
    guard let first = next, isDigit(first) else { return nil }
    var value: Int64 = 0
    while let byte = next, isDigit(byte) {
      let (product, tooLarge) = value.multipliedReportingOverflow(by: 10)
      let (sum, overflow) = product.addingReportingOverflow(Int64(byte - UInt8(ascii: "0")))
      guard !tooLarge, !overflow, sum <= limit else { return nil }
      value = sum
      position += 1
    }
    return value
  }

  /// Exactly `count` digits.
  mutating func digits(_ count: Int) -> Int? {
    var value = 0
    for _ in 0..<count {
      guard let byte = next, isDigit(byte) else { return nil }
      value = value * 10 + Int(byte - UInt8(ascii: "0"))
      position += 1
    }
    return value
  }

  /// The place of `position` for people: 1 is the first character.
  func column(at position: Int) -> Int {
    1 + bytes.prefix(position).count { $0 & 0xC0 != 0x80 }
  }
}

func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }

func isLetter(_ byte: UInt8) -> Bool {
  UInt8(ascii: "a")...UInt8(ascii: "z") ~= lowercase(byte)
}

func lowercase(_ byte: UInt8) -> UInt8 {
  UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte ? byte | 0x20 : byte
}

/// `value` in decimal, with leading zeros up to `width`.
func padded(_ value: some BinaryInteger, to width: Int) -> String {
  let digits = String(value)
  return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
}
