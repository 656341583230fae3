/// What the machine lives on.
public nonisolated struct PowerState: Hashable, Sendable {
  /// Mains, or any machine without a battery of its own.
  public var isExternal: Bool
  /// The charge of the fullest battery, 0 to 100; nil without one.
  public var batteryPercent: Int?

  public init(isExternal: Bool, batteryPercent: Int?) {
    self.isExternal = isExternal
    self.batteryPercent = batteryPercent
  }

  /// Reads the kernel's power supply class (Documentation/ABI/testing/sysfs-class-power).
  static func read(from folder: String) -> PowerState {
    var isOnline = false
    var hasSupply = false
    var isDischarging = false
    var charges: [Int] = []
    for name in SourceFiles.names(in: folder) ?? [] {
      let attribute = { (file: String) in value("\(folder)/\(name)/\(file)") }
      // A mouse's battery is not the machine's.
      if attribute("scope") == "Device" { continue }
      switch attribute("type") {
      case "Battery":
        if attribute("present") == "0" { continue }
        isDischarging = isDischarging || attribute("status") == "Discharging"
        if let charge = attribute("capacity").flatMap({ Int($0) }) {
          charges.append(min(max(charge, 0), 100))
        }
      case "Mains", "USB", "Wireless":
        hasSupply = true
        isOnline = isOnline || attribute("online").flatMap { Int($0) }.map { $0 > 0 } ?? false
      default: continue
      }
    }
    let isExternal = isOnline || (!isDischarging && (charges.isEmpty || !hasSupply))
    return PowerState(isExternal: isExternal, batteryPercent: charges.max())
  }

  private static func value(_ path: String) -> String? {
    guard let text = try? SourceFiles.text(of: path, limit: 8192) else { return nil }
    return text.split(whereSeparator: \.isWhitespace).first.map(String.init)
  }
}
