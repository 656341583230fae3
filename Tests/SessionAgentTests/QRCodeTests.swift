import Testing

@testable import SessionAgent

@Suite struct QRCodeTests {
  static let url = "https://login.example.com/device?user_code=BCDF-GHJK"

  /// The modules that the terminal's cells show, margin included.
  private func cells(of code: QRCode) -> [[Bool]] {
    code.lines.flatMap { line -> [[Bool]] in
      let blocks = line.dropFirst("\u{1b}[30;107m".count).dropLast("\u{1b}[0m".count)
      return [blocks.map { "█▀".contains($0) }, blocks.map { "█▄".contains($0) }]
    }
  }

  @Test func `the terminal shows the code, dark on light, with its margin`() throws {
    let code = try #require(QRCode(Self.url))
    #expect(code.columns == code.width + 8)
    #expect(code.lines.allSatisfy { $0.hasPrefix("\u{1b}[30;107m") && $0.hasSuffix("\u{1b}[0m") })
    let cells = cells(of: code)
    #expect(cells.allSatisfy { $0.count == code.columns })
    for (row, line) in cells.enumerated() {
      for (column, isDark) in line.enumerated() { #expect(isDark == code.isDark(row - 4, column - 4)) }
    }
  }

  /// ISO/IEC 18004 section 6.3.3: three position detection patterns, and light around them.
  @Test func `the corners are where a camera looks for them`() throws {
    let code = try #require(QRCode(Self.url))
    let pattern = ["1111111", "1000001", "1011101", "1011101", "1011101", "1000001", "1111111"]
    for (top, left) in [(0, 0), (0, code.width - 7), (code.width - 7, 0)] {
      for (row, line) in pattern.enumerated() {
        #expect(
          line.enumerated().allSatisfy { code.isDark(top + row, left + $0.offset) == ($0.element == "1") })
      }
    }
    #expect((0...7).allSatisfy { !code.isDark(7, $0) && !code.isDark($0, 7) })
  }

  @Test func `the longer the text the larger the code, up to version 10`() {
    // 213 bytes fit into version 10 at level M, 271 at level L (ISO/IEC 18004 table 7).
    let widths = [14, 213, 271].map { QRCode(String(repeating: "a", count: $0))?.width }
    #expect(widths == [21, 57, 57])
    #expect(QRCode(String(repeating: "a", count: 272)) == nil)
    #expect(QRCode("") == nil)
  }
}
