extension Reading<UInt64> {
  /// A size as systemd writes it: a number, possibly with a fraction, and `K`, `M`, `G`, `T`, `P` or
  /// `E` to the base of 1024 (systemd.syntax(7)); or a plain integer of bytes.
  static var byteCount: Reading {
    Reading { value, place in
      let expected = "a size such as \"512M\" is expected"
      switch value.content {
      case .integer(let number) where number > 0: return UInt64(number)
      case .integer(let number):
        place.report("\(place.key) is \(number), but \(expected)", at: value.begin)
        return nil
      case .string(let text):
        if let bytes = parseByteCount(text), bytes > 0 { return bytes }
        place.report("\(place.key) is \(text.quoted), but \(expected)", at: value.begin)
        return nil
      default:
        place.mismatch(value, expected: "a size such as \"512M\"")
        return nil
      }
    }
  }
}

/// Bytes; nil when it is no size or one beyond 64 bits. A fraction is truncated to whole bytes.
func parseByteCount(_ text: String) -> UInt64? {
  let digits = { (part: Substring) in part.utf8.allSatisfy { (0x30...0x39).contains($0) } }
  let number = text.prefix { $0.isNumber || $0 == "." }
  guard let factor = byteFactor(text[number.endIndex...]) else { return nil }
  let parts = number.split(separator: ".", omittingEmptySubsequences: false)
  guard let first = parts.first, parts.count <= 2, parts.allSatisfy({ !$0.isEmpty && digits($0) }),
    let whole = UInt64(first)
  else { return nil }
  var (bytes, overflows) = whole.multipliedReportingOverflow(by: factor)
  if parts.count == 2 {
    guard let fraction = fraction(parts[1], of: factor) else { return nil }
    let sum = bytes.addingReportingOverflow(fraction)
    (bytes, overflows) = (sum.partialValue, overflows || sum.overflow)
  }
  return overflows ? nil : bytes
}

private func byteFactor(_ suffix: Substring) -> UInt64? {
  switch suffix.drop(while: { $0 == " " }) {
  case "", "B": 1
  case "K": 1 << 10
  case "M": 1 << 20
  case "G": 1 << 30
  case "T": 1 << 40
  case "P": 1 << 50
  case "E": 1 << 60
  default: nil
  }
}

/// `0.DIGITS` of `factor`; nil for more than nine digits.
private func fraction(_ digits: Substring, of factor: UInt64) -> UInt64? {
  guard digits.count <= 9, let numerator = UInt64(digits) else { return nil }
  let denominator = digits.reduce(UInt64(1)) { power, _ in power * 10 }
  let product = factor.multipliedFullWidth(by: numerator)
  return denominator.dividingFullWidth(product).quotient
}
