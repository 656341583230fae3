/// A table for people: a heading, and columns as wide as their content. Where the terminal is too narrow the columns
/// give way as they may; where that is not enough, each row becomes a list of its cells.
nonisolated struct Table {
  var columns: [Column]
  var rows: [[Cell]] = []

  nonisolated struct Column {
    var heading: String
    var isRight = false
    var narrow = Narrow.whole

    /// What becomes of it when the lines are too long.
    nonisolated enum Narrow {
      case whole
      case cutEnd
      /// For names in reverse-DNS style.
      case cutStart
      /// Each cell moves to lines of its own below its row. Only of the last column; it gives way first.
      case below
    }

    init(_ heading: String, right: Bool = false, narrow: Narrow = .whole) {
      self.heading = heading
      self.isRight = right
      self.narrow = narrow
    }

    /// How far it may be cut.
    fileprivate var least: Int? {
      switch narrow {
      case .whole, .below: nil
      case .cutEnd: max(8, heading.columns)
      case .cutStart: max(16, heading.columns)
      }
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
    var widths = columns.indices.map { index in
      rows.reduce(columns[index].heading.columns) { max($0, $1[index].text.columns) }
    }
    let isBelow = columns.last?.narrow == .below && excess(of: widths, terminal) > 0
    if isBelow { widths.removeLast() }
    cut(&widths, terminal)
    guard excess(of: widths, terminal) <= 0 else { return list(for: terminal) }
    let heading = line(columns.map { Cell($0.heading, .bold) }, widths, terminal)
    return heading
      + rows.map { line($0, widths, terminal) + (isBelow ? below($0, terminal) : "") }.joined()
  }

  /// By how many columns the lines are too long.
  private func excess(of widths: [Int], _ terminal: Terminal) -> Int {
    widths.reduce(2 * (widths.count - 1), +) - (terminal.width ?? .max)
  }

  /// Cuts what may be cut; the last such column gives way first.
  private func cut(_ widths: inout [Int], _ terminal: Terminal) {
    for index in widths.indices.reversed() {
      guard let least = columns[index].least else { continue }
      widths[index] -= min(max(0, excess(of: widths, terminal)), max(0, widths[index] - least))
    }
  }

  private func line(_ cells: [Cell], _ widths: [Int], _ terminal: Terminal) -> String {
    var line = ""
    for (index, (cell, width)) in zip(cells, widths).enumerated() {
      let fitted =
        columns[index].narrow == .cutStart ? cell.text.endFitted(to: width) : cell.text.fitted(to: width)
      let blanks = String(repeating: " ", count: max(0, width - fitted.columns))
      let styled = cell.style.apply(to: fitted, colors: terminal.hasColors)
      if index > 0 { line += "  " }
      line += columns[index].isRight ? blanks + styled : index == widths.count - 1 ? styled : styled + blanks
    }
    while line.last == " " { line.removeLast() }
    return line + "\n"
  }

  /// The last cell, if it says anything.
  private func below(_ cells: [Cell], _ terminal: Terminal) -> String {
    guard let column = columns.last, let cell = cells.last, !["", "-"].contains(cell.text) else { return "" }
    var details = Details()
    details.add(column.heading.lowercased(), cell.text, cell.style)
    return details.text(for: terminal)
  }

  private func list(for terminal: Terminal) -> String {
    rows.map { cells in
      var details = Details()
      for (column, cell) in zip(columns, cells).dropFirst() where !["", "-"].contains(cell.text) {
        details.add(column.heading.lowercased(), cell.text, cell.style)
      }
      let title = Style.bold.apply(to: cells.first?.text ?? "", colors: terminal.hasColors)
      return title + "\n" + details.text(for: terminal)
    }.joined()
  }
}
