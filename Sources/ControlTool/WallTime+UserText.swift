import Scheduling

nonisolated extension WallTime {
  /// A time as a person types it: RFC 3339, or `@SECONDS` since 1970 as in systemd.time(7), also before it or with
  /// a fraction. Digits after the microsecond are dropped.
  init?(userText text: String) {
    guard text.hasPrefix("@") else {
      self.init(rfc3339: text)
      return
    }
    let number = text.dropFirst()
    let isNegative = number.hasPrefix("-")
    let parts = number.dropFirst(isNegative ? 1 : 0).split(
      separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy { $0.isASCII && $0.isWholeNumber } }),
      let seconds = Int64(parts[0]),
      let microseconds = Int64((parts.dropFirst().first ?? "").prefix(6).padding(to: 6))
    else { return nil }
    let size = Duration.seconds(seconds) + .microseconds(microseconds)
    self = WallTime(seconds: 0) + (isNegative ? .zero - size : size)
  }
}

nonisolated extension Substring {
  fileprivate func padding(to count: Int) -> String {
    self + String(repeating: "0", count: count - self.count)
  }
}
