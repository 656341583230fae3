/// A table for people: a heading, columns as wide as their content, and one column that gives way when the
/// terminal is too narrow.
nonisolated struct Table {
  var columns: [Column]
  var rows: [[Cell]] = []

  nonisolated struct Column {
    var heading: String
    var isRight = false
    /// Whether it is cut when the line is too long; the first such column gives way first.
    var givesWay = false

    init(_ heading: String, right: Bool = false, givesWay: Bool = false) {
      self.heading = heading
      self.isRight = right
      self.givesWay = givesWay
    }
  }

  nonisolated struct Cell: ExpressibleByStringInterpolation {
    var text: String
    var style: Style = .plain

    /// `-` stands for a text that is not there.
    init(_ text: String?, _ style: Style = .plain) {
      self.text = text.map(\.printable) ?? "-"
      self.style = text == nil ? .dim : style
    }

    init(stringLiteral text: String) { self.init(text) }
  }

  init(_ columns: [Column]) { self.columns = columns }

  /// The lines, each with its end.
  func text(for terminal: Terminal) -> String {
    let widths = widths(for: terminal)
    let heading = columns.map { Cell($0.heading, .bold) }
    return ([heading] + rows).map { line($0, widths, terminal) + "\n" }.joined()
  }

  private func widths(for terminal: Terminal) -> [Int] {
    var widths = columns.indices.map { index in
      rows.reduce(columns[index].heading.columns) { max($0, $1[index].text.columns) }
    }
    guard let width = terminal.width else { return widths }
    var excess = widths.reduce(2 * (columns.count - 1), +) - width
    for index in columns.indices where columns[index].givesWay && excess > 0 {
      let given = min(excess, max(0, widths[index] - max(8, columns[index].heading.columns)))
      widths[index] -= given
      excess -= given
    }
    return widths
  }

  private func line(_ cells: [Cell], _ widths: [Int], _ terminal: Terminal) -> String {
    var line = ""
    for (index, cell) in cells.enumerated() {
      let fitted = cell.text.fitted(to: widths[index])
      let isLast = index == cells.count - 1
      let padding = widths[index] - fitted.columns
      let blanks = String(repeating: " ", count: max(0, padding))
      let styled = cell.style.apply(to: fitted, colors: terminal.hasColors)
      line += columns[index].isRight ? blanks + styled : isLast ? styled : styled + blanks
      if !isLast { line += "  " }
    }
    return line
  }
}
