import Scheduling

nonisolated extension WallTime {
  /// A time as a person types it: RFC 3339, or `@SECONDS` since 1970 as in systemd.time(7).
  init?(userText text: String) {
    if text.hasPrefix("@") {
      guard let seconds = Int64(text.dropFirst()) else { return nil }
      self.init(seconds: seconds)
    } else {
      self.init(rfc3339: text)
    }
  }
}
