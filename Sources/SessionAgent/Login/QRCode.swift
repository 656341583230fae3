import CQREncode

/// A QR code (ISO/IEC 18004) of a text, for a camera in front of a terminal.
public struct QRCode: Hashable, Sendable {
  /// Beyond this a code is too fine for a camera and too large for a terminal.
  static let largestVersion: Int32 = 10
  /// Around the code, in modules (section 9.1 of the standard).
  static let margin = 4

  /// Modules in a row, and rows.
  public let width: Int
  /// Row by row; true is dark.
  let modules: [Bool]

  /// Nil if the text needs a larger code.
  public init?(_ text: String) {
    // Errors of 15 % can be corrected; of 7 % if there is no room for more.
    guard let code = Self.encode(text, QR_ECLEVEL_M) ?? Self.encode(text, QR_ECLEVEL_L) else { return nil }
    self = code
  }

  private init(width: Int, modules: [Bool]) {
    self.width = width
    self.modules = modules
  }

  private static func encode(_ text: String, _ level: QRecLevel) -> QRCode? {
    let bytes = Array(text.utf8)
    guard !bytes.isEmpty, let code = QRcode_encodeData(Int32(clamping: bytes.count), bytes, 0, level) else {
      return nil
    }
    defer { QRcode_free(code) }
    guard code.pointee.version <= largestVersion, let data = code.pointee.data else { return nil }
    let width = Int(code.pointee.width)
    return QRCode(width: width, modules: (0..<width * width).map { data[$0] & 1 == 1 })
  }

  /// How many columns of a terminal it takes.
  public var columns: Int { width + 2 * Self.margin }

  /// The code and its margin, two rows of modules in one of text, dark on light whatever the
  /// terminal's own colours are (ECMA-48: black on bright white).
  public var lines: [String] {
    stride(from: -Self.margin, to: width + Self.margin, by: 2).map { row in
      let blocks = (-Self.margin..<width + Self.margin).map { column in
        switch (isDark(row, column), isDark(row + 1, column)) {
        case (true, true): "█"
        case (true, false): "▀"
        case (false, true): "▄"
        case (false, false): " "
        }
      }
      return "\u{1b}[30;107m" + blocks.joined() + "\u{1b}[0m"
    }
  }

  func isDark(_ row: Int, _ column: Int) -> Bool {
    (0..<width).contains(row) && (0..<width).contains(column) && modules[row * width + column]
  }
}
