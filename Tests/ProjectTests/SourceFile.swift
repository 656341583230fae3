/// One Swift file, as text and with everything but code blanked out.
struct SourceFile: Sendable, CustomStringConvertible {
  /// From the root of the working copy.
  var path: String
  var lines: [String]
  /// The same lines without comments and without what stands between quotation marks.
  var code: [String]

  init(path: String, text: String) {
    self.path = path
    var all = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    if all.last == "" { all.removeLast() }
    lines = all
    var stripper = CommentStripper()
    code = all.map { stripper.strip($0) }
  }

  var description: String { path }

  var name: String { path.split(separator: "/").last.map(String.init) ?? path }

  /// The folder below `Sources` or `Tests`.
  var target: String { path.split(separator: "/").dropFirst().first.map(String.init) ?? "" }

  /// `path:line: text` for each line of code that holds one of the words as a whole, or, if a word does
  /// not begin or end with a letter, at that end as a part.
  func places(of words: [String]) -> [String] {
    places { line in words.contains { line.holds(word: $0) } }
  }

  /// The same for any condition.
  func places(where condition: (String) -> Bool) -> [String] {
    code.indices.filter { condition(code[$0]) }
      .map { "\(path):\($0 + 1): \(lines[$0].drop { $0 == " " })" }
  }
}

extension String {
  fileprivate func holds(word: String) -> Bool {
    guard contains(word) else { return false }
    let isLetter = { (character: Character?) in
      character.map { $0.isLetter || $0.isNumber || $0 == "_" } ?? false
    }
    return ranges(of: word).contains { range in
      let before = range.lowerBound == startIndex ? nil : self[index(before: range.lowerBound)]
      let after = range.upperBound == endIndex ? nil : self[range.upperBound]
      return !(isLetter(word.first) && isLetter(before)) && !(isLetter(word.last) && isLetter(after))
    }
  }

  /// Whether something is unwrapped by force: an exclamation mark right behind an expression or a type.
  var unwrapsByForce: Bool {
    var last: Character = " "
    for (character, next) in zip(self, dropFirst() + " ") {
      let isBehind = last.isLetter || last.isNumber || "_)]}>".contains(last)
      if character == "!", isBehind, next != "=" { return true }
      last = character
    }
    return false
  }
}
