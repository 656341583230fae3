/// How one kind of value is read: the value, or nil after having reported why not.
struct Reading<Value> {
  let read: (TOMLValue, Place) -> Value?
}

/// Whose value is being read, for messages.
struct Place {
  let key: String
  let findings: Findings

  /// "KEY is FOUND, but EXPECTED is expected".
  func mismatch(_ value: TOMLValue, expected: String) {
    report("\(key) is \(value.kind), but \(expected) is expected", at: value.begin)
  }

  func report(_ message: String, at position: SourcePosition) {
    findings.error(message, at: position)
  }
}

extension Reading {
  /// A string that `parse` understands, or about which it has reported.
  static func text(
    _ expected: @autoclosure @escaping () -> String,
    _ parse: @escaping (String, TOMLValue, Place) -> Value?
  ) -> Reading {
    Reading { value, place in
      guard case .string(let text) = value.content else {
        place.mismatch(value, expected: expected())
        return nil
      }
      guard !text.unicodeScalars.contains("\0") else {
        place.report("\(place.key) contains a NUL character, which no system call accepts", at: value.begin)
        return nil
      }
      return parse(text, value, place)
    }
  }

  /// A string for which `accepts` holds; otherwise the message is "KEY is "TEXT", but EXPECTED is expected".
  static func text(_ expected: String, where accepts: @escaping (String) -> Bool) -> Reading
  where Value == String {
    text(expected) { text, value, place in
      if accepts(text) { return text }
      place.report("\(place.key) is \(text.quoted), but \(expected) is expected", at: value.begin)
      return nil
    }
  }

  /// One of an enumeration's names.
  static func choice(_ type: Value.Type = Value.self) -> Reading
  where Value: RawRepresentable<String> & CaseIterable {
    choice(Value.allCases.map { ($0.rawValue, $0) })
  }

  static func choice(_ values: [(name: String, value: Value)]) -> Reading {
    let names = values.map(\.name)
    let expected = { (names.count > 1 ? "one of " : "") + names.map(\.quoted).listed(lastly: "or") }
    return text(expected()) { text, value, place in
      if let match = values.first(where: { $0.name == text }) { return match.value }
      let hint = nearest(to: text, among: names).map { "; did you mean \($0.quoted)?" } ?? ""
      place.report("\(place.key) is \(text.quoted), but \(expected()) is expected\(hint)", at: value.begin)
      return nil
    }
  }

  /// One value or an array of them; every bad element is reported.
  static func oneOrMore<Element>(_ element: Reading<Element>) -> Reading where Value == [Element] {
    Reading { value, place in
      guard case .array = value.content else { return element.read(value, place).map { [$0] } }
      return list(element, "a value or an array of values").read(value, place)
    }
  }

  /// An array; every bad element is reported.
  static func list<Element>(_ element: Reading<Element>, _ expected: String) -> Reading
  where Value == [Element] {
    Reading { value, place in
      guard case .array(let elements) = value.content else {
        place.mismatch(value, expected: expected)
        return nil
      }
      let read = elements.map { element.read($0, place) }
      let good = read.compactMap { $0 }
      return good.count == read.count ? good : nil
    }
  }
}

extension Reading<Bool> {
  static var boolean: Reading {
    Reading { value, place in
      if case .boolean(let boolean) = value.content { return boolean }
      place.mismatch(value, expected: "true or false")
      return nil
    }
  }
}

extension Reading<Int> {
  static func integer(in range: ClosedRange<Int>) -> Reading {
    Reading { value, place in
      let expected = "an integer from \(range.lowerBound) to \(range.upperBound)"
      guard case .integer(let number) = value.content else {
        place.mismatch(value, expected: expected)
        return nil
      }
      if let number = Int(exactly: number), range.contains(number) { return number }
      place.report("\(place.key) is \(number), but \(expected) is expected", at: value.begin)
      return nil
    }
  }
}

extension Reading<String> {
  static var nonEmpty: Reading { text("a string that is not empty") { !$0.isEmpty } }

  /// One line for people.
  static var line: Reading {
    text("a line of text without control characters") { text in
      !text.isEmpty && text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    }
  }

  static var absolutePath: Reading { text("an absolute path") { $0.hasPrefix("/") } }

  /// An absolute path that is not repeated in messages: people put the secret itself there.
  static var secretPath: Reading {
    text("an absolute path") { text, value, place in
      if text.hasPrefix("/") { return text }
      place.report(
        "\(place.key) is not an absolute path, but the path of a file that holds the secret is expected",
        at: value.begin)
      return nil
    }
  }
}
