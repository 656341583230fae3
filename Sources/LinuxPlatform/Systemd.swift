import CSystemd
import Glibc

/// systemd's names on the bus, and messages made of strings.
nonisolated enum Systemd {
  static let name = "org.freedesktop.systemd1"
  static let path = "/org/freedesktop/systemd1"
  static let manager = "org.freedesktop.systemd1.Manager"

  /// Queues a method call; returns its serial number, which the reply will bear.
  static func send(
    _ bus: OpaquePointer, to target: (name: String, path: String, interface: String), method: String,
    strings: [String]
  ) throws(PlatformError) -> UInt64 {
    var message: OpaquePointer?
    var outcome = sd_bus_message_new_method_call(
      bus, &message, target.name, target.path, target.interface, method)
    defer { sd_bus_message_unref(message) }
    for string in strings where outcome >= 0 {
      outcome = string.withCString { sd_bus_message_append_basic(message, CChar(UInt8(ascii: "s")), $0) }
    }
    var serial: UInt64 = 0
    if outcome >= 0 { outcome = sd_bus_send(bus, message, &serial) }
    guard outcome >= 0 else { throw .noBus(why: PlatformError.words(for: -outcome)) }
    return serial
  }

  /// The next argument, a string ("s") or object path ("o").
  static func readString(_ message: OpaquePointer, type: Unicode.Scalar) -> String? {
    var text: UnsafePointer<CChar>?
    guard sd_bus_message_read_basic(message, CChar(UInt8(ascii: type)), &text) > 0 else { return nil }
    return text.map { String(cString: $0) }
  }

  static func skip(_ message: OpaquePointer, _ types: String) -> Bool {
    sd_bus_message_skip(message, types) >= 0
  }
}
