nonisolated extension LogEntry {
  /// A value longer than this is cut: a single field may not fill the journal.
  static let longestValue = 64 * 1024

  /// `NAME=value` for sd_journal_sendv(3). Fields whose name journald would refuse are left out.
  func assignments(identifier: String) -> [[UInt8]] {
    var list = [Self.assign("MESSAGE", message), Self.assign("PRIORITY", "\(priority.rawValue)".utf8)]
    list.append(Self.assign("SYSLOG_IDENTIFIER", identifier.utf8))
    if let messageID { list.append(Self.assign("MESSAGE_ID", messageID.utf8)) }
    for field in fields where Self.isValidName(field.name) {
      list.append(Self.assign(field.name, field.value.utf8))
    }
    return list
  }

  private static func assign(_ name: String, _ value: some Collection<UInt8>) -> [UInt8] {
    Array(name.utf8) + [UInt8(ascii: "=")] + value.prefix(longestValue)
  }

  /// systemd.journal-fields(7): capital letters, digits and underscores, at most 64, beginning with a
  /// letter (a leading underscore is for journald itself).
  static func isValidName(_ name: String) -> Bool {
    guard let first = name.utf8.first, (1...64).contains(name.utf8.count), isCapital(first) else {
      return false
    }
    return name.utf8.allSatisfy { isCapital($0) || $0 == UInt8(ascii: "_") || (48...57).contains($0) }
  }

  private static func isCapital(_ byte: UInt8) -> Bool { (65...90).contains(byte) }
}
