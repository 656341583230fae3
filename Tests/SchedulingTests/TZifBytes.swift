/// Writes TZif files for tests.
struct TZifBytes {
  var version: UInt8 = UInt8(ascii: "2")
  var times: [Int64] = []
  var indices: [UInt8] = []
  var types: [(seconds: Int32, isDaylightSaving: UInt8, name: UInt8)] = [(0, 0, 0)]
  var names = "UTC\0"
  var leapSeconds = 0
  var footer: String? = ""

  var bytes: [UInt8] {
    guard version > 0 else { return block(timeSize: 4) }
    let empty = TZifBytes(version: version).block(timeSize: 4)
    let end = footer.map { "\n\($0)\n" } ?? ""
    return empty + block(timeSize: 8) + Array(end.utf8)
  }

  private func block(timeSize: Int) -> [UInt8] {
    let counts = [0, 0, leapSeconds, times.count, types.count, names.utf8.count]
    var bytes = Array("TZif".utf8) + [version] + Array(repeating: 0, count: 15)
    for count in counts { bytes += bigEndian(Int64(count), 4) }
    for time in times { bytes += bigEndian(time, timeSize) }
    bytes += indices
    for type in types {
      bytes += bigEndian(Int64(type.seconds), 4) + [type.isDaylightSaving, type.name]
    }
    bytes += Array(names.utf8)
    return bytes + Array(repeating: 0, count: leapSeconds * (timeSize + 4))
  }

  private func bigEndian(_ value: Int64, _ size: Int) -> [UInt8] {
    (0..<size).reversed().map { UInt8(truncatingIfNeeded: value >> Int64($0 * 8)) }
  }
}
