/// Whom a call on the message bus is for.
nonisolated struct BusObject {
  var name: String
  var path: String
  var interface: String

  /// The bus itself.
  static let bus = BusObject(
    name: "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus")

  static let systemd = BusObject(name: Systemd.name, path: Systemd.path, interface: Systemd.manager)
}
