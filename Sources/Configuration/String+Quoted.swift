extension String {
  /// In double quotes, for a message on one line: control characters as escapes, long text cut.
  var quoted: String {
    var text = ""
    for scalar in unicodeScalars.prefix(60) {
      text += scalar.isPrintable ? String(scalar) : "\\u{\(String(scalar.value, radix: 16))}"
    }
    return "\"\(text)\(unicodeScalars.count > 60 ? "…" : "")\""
  }
}

extension Unicode.Scalar {
  /// Whether it may reach a terminal or the journal as it is: no control, format or bidirectional
  /// override character, no line or paragraph separator.
  fileprivate var isPrintable: Bool {
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
    default: true
    }
  }
}

extension [String] {
  /// `a`, `a or b`, `a, b or c`.
  func listed(lastly conjunction: String) -> String {
    guard let last, count > 1 else { return first ?? "" }
    return dropLast().joined(separator: ", ") + " \(conjunction) " + last
  }
}
