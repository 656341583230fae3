import Glibc
import Scheduling
import Testing

/// Random expressions, compared with what systemd on this machine says.
///
/// Left out is what systemd 252 gets wrong:
/// - of a list after `~`, the second element is refused beyond the 25th last day, the third beyond the 22nd;
/// - steps that don't divide their field: the first value after the field's end is lost when a larger unit
///   changes as well, such as 1 January for `*-*-1/20`;
/// - the canonical form of `*:*:0/1,0.5` loses the fraction;
/// - zones whose clocks are put forward at midnight, by two hours, or out of "negative" daylight saving: it
///   fails, or skips times that exist;
/// - which pass of a repeated hour it takes after `~` depends on what it looked at before;
/// - the abbreviation of the machine's own zone (`GMT` in London) means that half of the year.
@Suite struct SystemdComparisonTests {
  static let isInstalled = access("/usr/bin/systemd-analyze", X_OK) == 0

  static let zones = [
    "America/New_York", "Europe/Berlin", "Australia/Sydney", "Asia/Kolkata", "America/Los_Angeles",
  ]

  @Test(.enabled(if: isInstalled, "systemd-analyze isn't installed"), arguments: zones)
  func `random expressions are read, printed and elapse as in systemd`(name: String) throws {
    let rules = try zone(name)
    var random = ExpressionGenerator(seed: UInt64(name.utf8.count))
    for _ in 0..<4 {
      let base = random.baseTime(in: rules)
      let expressions = Set((0..<60).map { _ in random.expression() }).sorted()
      let answers = try systemd(expressions, zone: name, base: base)
      #expect(answers.count > 30)
      for text in expressions {
        let trigger = try? calendar(text)
        let dues = trigger?.dues(5, after: base, in: rules, dst: .systemd).map { due in
          WallTime(seconds: due.microseconds / 1_000_000).rfc3339
        }
        #expect(trigger?.canonical == answers[text]?.canonical, "\(text)")
        #expect(dues == answers[text]?.dues, "\(text) in \(name) after \(base.rfc3339)")
      }
    }
  }

  private struct Answer {
    var canonical: String
    var dues: [String] = []
  }

  /// What `systemd-analyze` prints about each expression that it accepts.
  private func systemd(_ expressions: [String], zone: String, base: WallTime) throws -> [String: Answer] {
    let seconds = base.microseconds / 1_000_000
    let words = expressions.map { "'\($0)'" }.joined(separator: " ")
    let command =
      "TZ=\(zone) LC_ALL=C systemd-analyze calendar --iterations=5 --base-time=@\(seconds) -- \(words) 2>/dev/null"
    var answers: [String: Answer] = [:]
    var original: String?
    var current = ""
    for line in try output(of: command) {
      if let text = value(of: "Original form", in: line) {
        original = text
      } else if let text = value(of: "Normalized form", in: line) {
        current = original ?? text
        original = nil
        answers[current] = Answer(canonical: text)
      } else if let text = value(of: "(in UTC)", in: line) {
        let parts = text.split(separator: " ")
        answers[current]?.dues.append("\(parts[1])T\(parts[2])Z")
      }
    }
    return answers
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
