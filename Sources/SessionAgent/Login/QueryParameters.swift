/// The parameters of an authorization response, as they came (RFC 6749 appendix B,
/// `application/x-www-form-urlencoded`).
struct QueryParameters {
  private var values: [String: Secret] = [:]

  /// Nil if an escape is broken, or if a parameter comes twice: they must not (section 3.1).
  init?(_ query: UnsafeRawBufferPointer) {
    for part in query.split(separator: UInt8(ascii: "&")) {
      let name = part.prefix { $0 != UInt8(ascii: "=") }
      guard let decodedName = Self.decode(name), let value = Self.decode(part.dropFirst(name.count + 1))
      else {
        return nil
      }
      let key = decodedName.withBytes { String(decoding: $0, as: UTF8.self) }
      guard values.updateValue(value, forKey: key) == nil else { return nil }
    }
  }

  /// Nil if it is absent or empty.
  func secret(_ name: String) -> Secret? { values[name].flatMap { $0.count == 0 ? nil : $0 } }

  func text(_ name: String) -> String? {
    secret(name).map { $0.withBytes { String(decoding: $0, as: UTF8.self) } }
  }

  private static func decode(_ bytes: Slice<UnsafeRawBufferPointer>) -> Secret? {
    let decoded = Secret(capacity: bytes.count)
    var rest = bytes
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "+"): decoded.append(UInt8(ascii: " "))
      case UInt8(ascii: "%"):
        guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else {
          return nil
        }
        decoded.append(high << 4 | low)
      default: decoded.append(byte)
      }
    }
    return decoded
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    Character(UnicodeScalar(byte)).hexDigitValue.map { UInt8($0) }
  }
}
