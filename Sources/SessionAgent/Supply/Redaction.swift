/// A helper's own words, made fit for a log: no line of it may carry a token.
enum Redaction {
  static let lineLimit = 20
  private static let shortestToken = 20

  /// The last lines, each printable, with everything that looks like a token blanked.
  static func lines(_ text: Secret, hiding secrets: [Secret]) -> [String] {
    let text = text.withBytes { String(decoding: $0, as: UTF8.self) }
    let known = secrets.map { $0.withBytes { String(decoding: $0, as: UTF8.self) } }
    return text.split(whereSeparator: \.isNewline).suffix(lineLimit).map { line in
      let hidden = known.reduce(String(line)) { $0.replacing($1, with: "[...]") }
      return HTTPClient.printable(blanked(hidden))
    }.filter { !$0.isEmpty }
  }

  /// A token is a long run of its alphabet with a digit in it or of both cases, or such a part of a path or an address.
  static func blanked(_ line: String) -> String {
    var result = ""
    var rest = line[...]
    while let character = rest.first {
      let run = rest.prefix(while: isTokenCharacter)
      if run.isEmpty {
        result.append(character)
        rest.removeFirst()
        continue
      }
      let parts = run.split(separator: "/", omittingEmptySubsequences: false)
      result += parts.map { isToken($0) ? "[...]" : String($0) }.joined(separator: "/")
      rest = rest[run.endIndex...]
    }
    return result
  }

  private static func isToken(_ run: Substring) -> Bool {
    run.count >= shortestToken
      && (run.contains(where: \.isNumber)
        || run.contains(where: \.isUppercase) && run.contains(where: \.isLowercase))
  }

  /// RFC 6750 section 2.1, b64token.
  private static func isTokenCharacter(_ character: Character) -> Bool {
    character.isASCII && (character.isLetter || character.isNumber || "-._~+/=".contains(character))
  }
}
