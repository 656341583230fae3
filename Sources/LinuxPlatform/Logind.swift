import CSystemd
import Glibc

/// logind's names on the bus (org.freedesktop.login1(5)).
nonisolated enum Logind {
  static let name = "org.freedesktop.login1"
  static let sessions = "/org/freedesktop/login1/session"
  static let session = "org.freedesktop.login1.Session"
  static let properties = "org.freedesktop.DBus.Properties"
  static let path = "/org/freedesktop/login1"
  static let manager = "org.freedesktop.login1.Manager"

  /// logind itself, and where its own properties are read.
  static let object = BusObject(name: name, path: path, interface: manager)
  static let objectProperties = BusObject(name: name, path: path, interface: properties)

  /// A property of any session has another value.
  static let sessionChanged =
    "type='signal',sender='\(name)',path_namespace='\(sessions)',interface='\(properties)',member='PropertiesChanged',arg0='\(session)'"

  /// What logind announces before the machine sleeps or shuts down, and when that is over: the name of the
  /// signal and of the property that says the same.
  static let departures = [
    (signal: "PrepareForSleep", property: "PreparingForSleep"),
    (signal: "PrepareForShutdown", property: "PreparingForShutdown"),
  ]

  static var departureRules: [String] {
    departures.map {
      "type='signal',sender='\(name)',path='\(path)',interface='\(manager)',member='\($0.signal)'"
    }
  }

  /// Where a session's properties are read.
  static func properties(ofSession id: String) -> BusObject? {
    var path: UnsafeMutablePointer<CChar>?
    defer { free(path) }
    guard sd_bus_path_encode(sessions, id, &path) >= 0, let path else { return nil }
    return BusObject(name: name, path: String(cString: path), interface: properties)
  }
}
