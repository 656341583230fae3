import AuthModel

extension Reading<[VerdictOverride]> {
  /// A table of answers and what they mean: `"403 unauthorized_client" = "definite"`.
  static var verdictOverrides: Reading {
    Reading { value, place in
      guard case .table(let entries) = value.content else {
        place.mismatch(
          value, expected: "a section such as [verdicts] with \"401 invalid_token\" = \"definite\"")
        return nil
      }
      let overrides = entries.compactMap { entry -> VerdictOverride? in
        let inner = Place(key: "\(place.key).\(entry.key.quoted)", findings: place.findings)
        let outcome = Reading<VerdictOverride.Outcome>.choice().read(entry.value, inner)
        guard let answer = VerdictOverride.answer(entry.key) else {
          place.report(
            "\(place.key): \(entry.key.quoted) is no answer, but a status (500, 5xx), an error code "
              + "(invalid_token) or both (\"401 invalid_token\") are expected", at: entry.position)
          return nil
        }
        return outcome.map { VerdictOverride(statuses: answer.statuses, error: answer.error, outcome: $0) }
      }
      return overrides.count == entries.count ? overrides.sorted(by: isNarrower) : nil
    }
  }

  /// The narrower answer decides: an error code before none, then the fewer statuses.
  private static func isNarrower(_ left: VerdictOverride, _ right: VerdictOverride) -> Bool {
    let isVague = (left.error == nil, right.error == nil)
    if isVague.0 != isVague.1 { return isVague.1 }
    return left.statuses.count < right.statuses.count
  }
}

extension VerdictOverride {
  /// Reads `STATUS`, `ERROR` or `STATUS ERROR`; nil if it is none of them. A status is one number from 200
  /// to 599, or a whole class, `4xx`.
  static func answer(_ text: String) -> (statuses: ClosedRange<Int>, error: String?)? {
    let words = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    guard let first = words.first, words.count <= 2 else { return nil }
    let beginsWithDigit =
      first.utf8.first.map { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ?? false
    if !beginsWithDigit { return words.count == 1 && isErrorCode(first) ? (200...599, first) : nil }
    guard let statuses = statuses(first) else { return nil }
    guard words.count == 2 else { return (statuses, nil) }
    return isErrorCode(words[1]) ? (statuses, words[1]) : nil
  }

  private static func statuses(_ word: String) -> ClosedRange<Int>? {
    guard word.utf8.count == 3 else { return nil }
    if word.hasSuffix("xx") {
      guard let first = Int(word.prefix(1)), 2...5 ~= first else { return nil }
      return first * 100...first * 100 + 99
    }
    guard word.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
      let status = Int(word),
      200...599 ~= status
    else { return nil }
    return status...status
  }

  /// RFC 6749 section 5.2, without the space.
  private static func isErrorCode(_ word: String) -> Bool {
    !word.isEmpty && word.utf8.count <= 200
      && word.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x5C }
  }
}
