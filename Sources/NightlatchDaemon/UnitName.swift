/// Instance names of units (systemd.unit(5), "String escaping for inclusion in unit names").
enum UnitName {
  static func escape(_ text: String) -> String {
    var escaped = ""
    for (index, byte) in text.utf8.enumerated() {
      switch byte {
      case UInt8(ascii: "/"): escaped += "-"
      case UInt8(ascii: ".") where index == 0: escaped += hex(byte)
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: ":"), UInt8(ascii: "_"), UInt8(ascii: "."):
        escaped.unicodeScalars.append(Unicode.Scalar(byte))
      default: escaped += hex(byte)
      }
    }
    return escaped
  }

  private static func hex(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 16)
    return "\\x" + (digits.count == 1 ? "0" : "") + digits
  }
}
