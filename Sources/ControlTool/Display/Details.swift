/// Names and values, the values in one column. Where the terminal is too narrow a value goes on in the lines below.
nonisolated struct Details {
  private var entries: [(name: String, value: String, style: Style)] = []

  /// Beside its name a value needs room for a few words.
  private static let leastRoom = 24

  /// Adds a line unless there is nothing to say.
  mutating func add(_ name: String, _ value: String?, _ style: Style = .plain) {
    if let value { entries.append((name, value.printable, style)) }
  }

  func text(for terminal: Terminal) -> String {
    let column = (entries.map(\.name.columns).max() ?? 0) + 4
    let isBeside = terminal.width.map { $0 - column >= Self.leastRoom } ?? true
    let margin = String(repeating: " ", count: isBeside ? column : 4)
    return entries.map { entry in
      let values = entry.value.wrapped(to: terminal.width.map { $0 - margin.count }).map {
        entry.style.apply(to: $0, colors: terminal.hasColors)
      }
      let name = isBeside ? entry.name.padded(to: column - 2) : entry.name + "\n" + margin
      let lead = "  " + Style.dim.apply(to: name, colors: terminal.hasColors)
      return lead + values.joined(separator: "\n" + margin) + "\n"
    }.joined()
  }
}
