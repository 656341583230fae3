import CSystemd

/// Messages of the bus, as far as they are made of strings and flags.
nonisolated enum BusMessage {
  /// Queues a method call; returns its serial number, which the reply will bear.
  static func send(
    _ bus: OpaquePointer, to target: BusObject, method: String, strings: [String]
  ) throws(PlatformError) -> UInt64 {
    var message: OpaquePointer?
    defer { sd_bus_message_unref(message) }
    var outcome = make(&message, bus, target, method, strings)
    var serial: UInt64 = 0
    if outcome >= 0 { outcome = sd_bus_send(bus, message, &serial) }
    guard outcome >= 0 else { throw .noBus(why: PlatformError.words(for: -outcome)) }
    return serial
  }

  /// Makes a method call; returns what sd-bus does, less than zero for an error.
  static func make(
    _ message: inout OpaquePointer?, _ bus: OpaquePointer?, _ target: BusObject, _ method: String,
    _ strings: [String]
  ) -> Int32 {
    var outcome = sd_bus_message_new_method_call(
      bus, &message, target.name, target.path, target.interface, method)
    for string in strings where outcome >= 0 {
      outcome = string.withCString { sd_bus_message_append_basic(message, CChar(UInt8(ascii: "s")), $0) }
    }
    return outcome
  }

  /// The next argument, a string ("s") or object path ("o").
  static func readString(_ message: OpaquePointer, type: Unicode.Scalar) -> String? {
    var text: UnsafePointer<CChar>?
    guard sd_bus_message_read_basic(message, CChar(UInt8(ascii: type)), &text) > 0 else { return nil }
    return text.map { String(cString: $0) }
  }

  /// The next argument, a variant that holds a boolean: what Properties.Get answers for one.
  static func readFlag(_ message: OpaquePointer) -> Bool? {
    guard sd_bus_message_enter_container(message, CChar(UInt8(ascii: "v")), "b") > 0 else { return nil }
    return readPlainFlag(message)
  }

  /// The next argument, a boolean.
  static func readPlainFlag(_ message: OpaquePointer) -> Bool? {
    var flag: Int32 = 0
    guard sd_bus_message_read_basic(message, CChar(UInt8(ascii: "b")), &flag) > 0 else { return nil }
    return flag != 0
  }

  static func skip(_ message: OpaquePointer, _ types: String) -> Bool {
    sd_bus_message_skip(message, types) >= 0
  }

  /// Why a call was refused, if the message says that it was.
  static func refusal(_ message: OpaquePointer) -> String? {
    guard sd_bus_message_is_method_error(message, nil) > 0 else { return nil }
    let error = sd_bus_message_get_error(message)?.pointee
    return (error?.message ?? error?.name).map { String(cString: $0) } ?? "it was refused"
  }
}
