import Glibc

/// What standard output can show.
nonisolated struct Terminal: Hashable, Sendable {
  /// Columns; nil when nothing needs to be fitted into a width (a file, a pipe).
  var width: Int?
  var hasColors: Bool

  static let plain = Terminal(width: nil, hasColors: false)

  /// The terminal on standard output. `NO_COLOR` (no-color.org) and `TERM=dumb` turn colours off.
  init(descriptor: Int32, environment: [String: String]) {
    guard isatty(descriptor) == 1 else {
      self = .plain
      return
    }
    var size = winsize()
    let isKnown = ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
    self.width = isKnown ? Int(size.ws_col) : environment["COLUMNS"].flatMap(Self.columns) ?? 80
    self.hasColors = environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
  }

  private static func columns(_ text: String) -> Int? { Int(text).flatMap { 1...65_535 ~= $0 ? $0 : nil } }

  init(width: Int?, hasColors: Bool) {
    self.width = width
    self.hasColors = hasColors
  }
}
