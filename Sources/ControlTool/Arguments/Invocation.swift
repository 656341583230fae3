/// A command as it was called.
nonisolated struct Invocation: Sendable {
  var command: Command
  var operands: [String] = []
  /// The values of each option that was given, by its long name; a flag's are empty.
  var values: [String: [String]] = [:]

  func has(_ option: CommandOption) -> Bool { values[option.name] != nil }

  /// The last value given.
  func value(of option: CommandOption) -> String? { values[option.name]?.last }

  /// The operand at a place, if there are as many.
  subscript(index: Int) -> String? { operands.indices.contains(index) ? operands[index] : nil }

  /// The option's value as a whole number of at least 1.
  func positiveNumber(_ option: CommandOption) throws(ToolError) -> Int? {
    guard let text = value(of: option) else { return nil }
    guard let number = Int(text), number > 0 else {
      throw .usage(
        "--\(option.name) takes a whole number of at least 1, not \"\(text)\"", command: command.name)
    }
    return number
  }
}
