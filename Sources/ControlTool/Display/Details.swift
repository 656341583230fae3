/// Names and values, one a line, the values in one column.
struct Details {
  private var entries: [(name: String, value: String, style: Style)] = []

  /// Adds a line unless there is nothing to say.
  mutating func add(_ name: String, _ value: String?, _ style: Style = .plain) {
    if let value { entries.append((name, value.printable, style)) }
  }

  func text(for terminal: Terminal) -> String {
    let column = (entries.map(\.name.columns).max() ?? 0) + 2
    return entries.map { entry in
      let name = Style.dim.apply(to: entry.name.padded(to: column), colors: terminal.hasColors)
      return "  \(name)\(entry.style.apply(to: entry.value, colors: terminal.hasColors))\n"
    }.joined()
  }
}
