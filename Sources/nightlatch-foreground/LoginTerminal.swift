import Glibc
import SessionAgent

/// What standard error, where a person is spoken to, can show.
struct LoginTerminal {
  let isTerminal: Bool
  /// Columns.
  let width: Int
  private let hasBlocks: Bool

  init() {
    isTerminal = isatty(STDERR_FILENO) == 1 && Self.variable("TERM") != "dumb"
    var size = winsize()
    let isKnown = ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
    width = isKnown ? Int(size.ws_col) : 80
    // As setlocale(3) decides which encoding is meant.
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap(Self.variable).first ?? ""
    hasBlocks = locale.lowercased().replacing("-", with: "").hasSuffix("utf8")
  }

  /// The lines of a QR code; nil if it can't be shown here, or does not fit.
  func code(of text: String) -> [String]? {
    guard isTerminal, hasBlocks, let code = QRCode(text), code.columns <= width else { return nil }
    return code.lines
  }

  private static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }
}
