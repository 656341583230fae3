import CSystemd
import Scheduling

extension InhibitorLock {
  /// How long logind waits for whoever holds a delay lock (InhibitDelayMaxUSec, org.freedesktop.login1(5)); nil
  /// where nobody says.
  ///
  /// - Parameter patience: a logind that does not answer within it is taken for none.
  public static func longestDelay(patience: Duration = .seconds(2)) -> Duration? {
    longestDelay(patience: patience, on: nil)
  }

  /// - Parameter address: a bus of its own for tests; nil: the system's.
  static func longestDelay(patience: Duration, on address: String?) -> Duration? {
    var bus: OpaquePointer?
    defer { sd_bus_close_unref(bus) }
    guard connect(&bus, to: address, within: patience) >= 0 else { return nil }
    sd_bus_set_method_call_timeout(bus, microseconds(patience))
    var delay: UInt64 = 0
    let outcome = sd_bus_get_property_trivial(
      bus, Logind.name, Logind.path, Logind.manager, "InhibitDelayMaxUSec", nil, CChar(UInt8(ascii: "t")),
      &delay)
    return outcome >= 0 ? .microseconds(Int64(clamping: delay)) : nil
  }
}
