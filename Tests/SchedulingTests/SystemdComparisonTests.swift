import Glibc
import Scheduling
import Testing

/// Random expressions and base times, compared with what systemd 252 on this machine says about them: accepted
/// or not, the canonical form, the next five dues.
///
/// Left out is where systemd is wrong:
/// - its search goes round in circles ("Infinite loop in calendar calculation") or ends although the expression
///   has later dues, and its timer is dead: there only what it did print is compared;
/// - the next due that it finds is not later than the base time;
/// - `*:*:0/1,0.5` is printed as `*:*:*`, which means something else;
/// - base times in an hour that is repeated without an end of daylight saving (Moscow in 2014): which of the two
///   it takes itself to be in depends on what mktime(3) was asked before.
@Suite struct SystemdComparisonTests {
  static let isInstalled = access("/usr/bin/systemd-analyze", X_OK) == 0

  /// How many expressions are compared in all: 2,000, or what NIGHTLATCH_RANDOM_EXPRESSIONS says (`make test`:
  /// 20,000).
  static let count = getenv("NIGHTLATCH_RANDOM_EXPRESSIONS").flatMap { Int(String(cString: $0)) } ?? 2_000
  static let batch = 50

  /// Usual ones, and every kind of odd one: half an hour, two hours and none of daylight saving, winter time
  /// as the exception, no midnight on the day of the change, changes for Ramadan, a day left out.
  static let zones = [
    "UTC", "America/New_York", "Europe/Berlin", "Australia/Sydney", "Asia/Kolkata", "America/Los_Angeles",
    "Europe/London", "Europe/Dublin", "Africa/Casablanca", "Antarctica/Troll", "Australia/Lord_Howe",
    "Africa/Cairo", "Asia/Beirut", "America/Santiago", "America/Sao_Paulo", "Pacific/Apia", "Asia/Kathmandu",
    "Asia/Tehran", "America/St_Johns", "Pacific/Chatham", "Asia/Gaza", "Europe/Moscow",
  ]

  @Test(.enabled(if: isInstalled, "systemd-analyze isn't installed"), arguments: zones)
  func `random expressions are read, printed and elapse as in systemd`(name: String) throws {
    let rules = try zone(name)
    let seed = getenv("NIGHTLATCH_SEED").flatMap { UInt64(String(cString: $0)) } ?? 1
    var random = ExpressionGenerator(seed: name.utf8.reduce(seed) { $0 &* 31 &+ UInt64($1) })
    var accepted = 0
    var differences: [String] = []
    for _ in 0..<(Self.count / Self.zones.count / Self.batch + 1) {
      let base = random.baseTime(in: rules)
      // systemd-analyze prints an expression without the blanks at its end: one of each will do.
      var texts: [String: String] = [:]
      for _ in 0..<Self.batch {
        let text = random.expression()
        texts[Answers.key(text)] = text
      }
      let expressions = texts.values.sorted()
      let answers = try systemd(expressions, zone: name, base: base)
      accepted += answers.accepted.count
      for text in expressions {
        let ours = answer(to: text, rules, after: base)
        guard ours != answers[text], !isKnownSlip(text, ours, answers, base) else { continue }
        differences.append(
          "\(text) in \(name) after \(base.rfc3339): \(said(ours)), systemd: \(said(answers[text]))")
      }
    }
    #expect(accepted > 30)
    #expect(
      differences.isEmpty,
      "\(differences.count) differences: \(differences.prefix(10).joined(separator: "\n"))")
  }

  private func isKnownSlip(_ text: String, _ ours: Answer?, _ answers: Answers, _ base: WallTime) -> Bool {
    guard let ours else { return false }
    guard let theirs = answers[text] else { return answers.endless.contains(text) }
    let seconds = ours.canonical.split(separator: ":").last ?? ""
    if seconds.hasPrefix("00/1,"), theirs.canonical.contains(":*") { return ours.dues == theirs.dues }
    guard ours.canonical == theirs.canonical else { return false }
    // RFC 3339 in UTC sorts by time.
    if let first = theirs.dues.first, first <= base.rfc3339 { return true }
    return theirs.dues.count < ours.dues.count && ours.dues.starts(with: theirs.dues)
  }

  private struct Answers {
    var accepted: [String: Answer] = [:]
    /// What systemd's search got lost in.
    var endless: Set<String> = []

    subscript(text: String) -> Answer? { accepted[Self.key(text)] }

    static func key(_ text: String) -> String {
      text.lastIndex { $0 != " " }.map { String(text[...$0]) } ?? text
    }
  }

  private struct Answer: Equatable {
    var canonical: String
    var dues: [String] = []
  }

  private func said(_ answer: Answer?) -> String {
    answer.map { "\($0.canonical) \($0.dues.joined(separator: " "))" } ?? "refused"
  }

  private func answer(to text: String, _ rules: TimeZoneRules, after base: WallTime) -> Answer? {
    guard let trigger = try? calendar(text) else { return nil }
    let dues = trigger.dues(5, after: base, in: rules, dst: .systemd)
    // systemd-analyze prints whole seconds.
    return Answer(
      canonical: trigger.canonical,
      dues: dues.map { WallTime(seconds: $0.microseconds / 1_000_000).rfc3339 })
  }

  /// What `systemd-analyze` prints about each expression that it accepts.
  private func systemd(_ expressions: [String], zone: String, base: WallTime) throws -> Answers {
    let seconds = base.microseconds / 1_000_000
    let words = expressions.map { "'\($0)'" }.joined(separator: " ")
    let command =
      "TZ=\(zone) LC_ALL=C systemd-analyze calendar --iterations=5 --base-time=@\(seconds) -- \(words) 2>&1"
    var answers = Answers()
    var original: String?
    var current = ""
    for line in try output(of: command) {
      if let text = value(of: "Original form", in: line) {
        original = text
      } else if let text = value(of: "Normalized form", in: line) {
        current = original ?? text
        original = nil
        answers.accepted[current] = Answer(canonical: text)
      } else if line.hasPrefix("Failed to determine next elapse for '"), line.hasSuffix("deadlock avoided") {
        let text = line.dropFirst("Failed to determine next elapse for '".count).prefix { $0 != "'" }
        answers.accepted[String(text)] = nil
        answers.endless.insert(String(text))
      } else if let text = dueInUTC(line, zone: zone) {
        let parts = text.split(separator: " ")
        answers.accepted[current]?.dues.append("\(parts[1])T\(parts[2])Z")
      }
    }
    return answers
  }

  /// In UTC itself there is no second line for it.
  private func dueInUTC(_ line: String, zone: String) -> String? {
    guard zone == "UTC" else { return value(of: "(in UTC)", in: line) }
    let first = value(of: "Next elapse", in: line)
    let trimmed = line.drop { $0 == " " }
    let later =
      trimmed.hasPrefix("Iter. #")
      ? trimmed.split(separator: ": ", maxSplits: 1).last.map { String($0) } : nil
    return (first ?? later).flatMap { $0.hasSuffix(" UTC") ? $0 : nil }
  }

  private func value(of label: String, in line: String) -> String? {
    let trimmed = line.drop { $0 == " " }
    return trimmed.hasPrefix(label + ": ") ? String(trimmed.dropFirst(label.count + 2)) : nil
  }

  private func output(of command: String) throws -> [String] {
    let pipe = try #require(popen(command, "r"))
    defer { pclose(pipe) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while case let count = fread(&buffer, 1, buffer.count, pipe), count > 0 {
      bytes += buffer.prefix(count)
    }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map { String($0) }
  }
}
