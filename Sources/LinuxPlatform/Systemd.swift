/// systemd's names on the bus (org.freedesktop.systemd1(5)).
nonisolated enum Systemd {
  static let name = "org.freedesktop.systemd1"
  static let path = "/org/freedesktop/systemd1"
  static let manager = "org.freedesktop.systemd1.Manager"
}
