import CSystemd
import Glibc

/// logind's names on the bus (org.freedesktop.login1(5)).
nonisolated enum Logind {
  static let name = "org.freedesktop.login1"
  static let sessions = "/org/freedesktop/login1/session"
  static let session = "org.freedesktop.login1.Session"
  static let properties = "org.freedesktop.DBus.Properties"

  /// A property of any session has another value.
  static let sessionChanged =
    "type='signal',sender='\(name)',path_namespace='\(sessions)',interface='\(properties)',member='PropertiesChanged',arg0='\(session)'"

  /// Where a session's properties are read.
  static func properties(ofSession id: String) -> BusObject? {
    var path: UnsafeMutablePointer<CChar>?
    defer { free(path) }
    guard sd_bus_path_encode(sessions, id, &path) >= 0, let path else { return nil }
    return BusObject(name: name, path: String(cString: path), interface: properties)
  }
}
