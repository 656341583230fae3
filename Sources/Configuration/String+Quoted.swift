extension String {
  /// In double quotes, for a message on one line: control characters as escapes, long text cut.
  var quoted: String {
    let isLong = unicodeScalars.count > 60
    return "\"\(String(unicodeScalars.prefix(60)).printable)\(isLong ? "…" : "")\""
  }

  /// Fit for a terminal and the journal: everything else as escapes.
  var printable: String {
    if unicodeScalars.allSatisfy(\.isPrintable) { return self }
    var text = ""
    for scalar in unicodeScalars {
      text += scalar.isPrintable ? String(scalar) : "\\u{\(String(scalar.value, radix: 16))}"
    }
    return text
  }
}

extension Unicode.Scalar {
  /// No control, format or bidirectional override character, no line or paragraph separator.
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
