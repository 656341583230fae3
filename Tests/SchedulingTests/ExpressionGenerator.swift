import Scheduling
import SeededRandom

/// Makes random calendar expressions, most of them valid.
struct ExpressionGenerator {
  private var random: SplitMix

  init(seed: UInt64) { random = SplitMix(state: seed) }

  private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

  private mutating func pick<Value>(_ values: [Value]) -> Value {
    values[Int.random(in: values.indices, using: &random)]
  }

  /// Within two decades; often a few hours before a change of the clocks.
  mutating func baseTime(in rules: TimeZoneRules) -> WallTime {
    let start = WallTime(seconds: Int64.random(in: 1_300_000_000...1_900_000_000, using: &random))
    guard chance(60), let change = rules.nextTransition(after: start) else { return start }
    return change.time - .seconds(Int.random(in: 1...90_000, using: &random))
  }

  mutating func expression() -> String {
    if chance(4) { return pick(["minutely", "Hourly", "daily", "WEEKLY", "monthly", "quarterly", "yearly"]) }
    var parts: [String] = []
    if chance(30) { parts.append(weekdays()) }
    if chance(45) { parts.append(date()) }
    if parts.isEmpty || chance(70) { parts.append(time()) }
    if chance(5) { parts.append(pick(["UTC", "Europe/Paris", "Asia/Tokyo", "Europe/Nowhere", "+02:00"])) }
    let text = parts.joined(separator: chance(10) ? "  " : " ")
    return chance(8) ? damaged(text) : text
  }

  private mutating func weekdays() -> String {
    let names = ["Mon", "tue", "Wednesday", "THU", "Fri", "saturday", "Sun"]
    return (0..<pick([1, 1, 2, 3])).map { _ in
      let first = Int.random(in: 0...6, using: &random)
      guard chance(40) else { return names[first] }
      let last = chance(5) ? 0 : Int.random(in: first...6, using: &random)
      return names[first] + pick(["..", "-"]) + names[last]
    }.joined(separator: ",")
  }

  private mutating func date() -> String {
    let year = pick(["*-", "*-", "", "2024-", "2012..2034-", "25-", "2000..2100/4-", "1999,2030-"])
    let month = list(1...12, star: 60)
    // Of a list after `~` systemd checks each element against another limit.
    if chance(20) { return year + month + "~" + element(1...28) }
    return year + month + "-"
      + (chance(20) ? pick(["29", "30", "31", "28..31", "32"]) : list(1...31, star: 30))
  }

  private mutating func time() -> String {
    let minutes = list(0...23, star: 35) + ":" + list(0...59, star: 25)
    guard chance(40) else { return minutes }
    let seconds = list(0...59, star: 15)
    return minutes + ":"
      + (chance(20) ? pick(["5.25", "59.999999", "0/0.5", "1.2345678", "1..4.5/0.5"]) : seconds)
  }

  private mutating func list(_ range: ClosedRange<Int>, star percent: Int) -> String {
    if chance(percent) { return "*" }
    return (0..<pick([1, 1, 1, 2, 3])).map { _ in element(range) }.joined(separator: ",")
  }

  private mutating func element(_ range: ClosedRange<Int>) -> String {
    let highest = range.upperBound + (chance(2) ? 1 : 0)
    let first = Int.random(in: range.lowerBound...highest, using: &random)
    switch Int.random(in: 0...3, using: &random) {
    case 0:
      let last = Int.random(in: first...highest, using: &random)
      return "\(first)..\(last)" + (chance(40) ? "/\(Int.random(in: 1...9, using: &random))" : "")
    case 1 where range.upperBound == 59: return "0/\(pick([2, 3, 5, 10, 15, 20, 30]))"
    case 1 where range.upperBound == 23: return "00/\(pick([2, 3, 4, 6, 8, 12]))"
    default: return first < 10 && chance(50) ? "0\(first)" : "\(first)"
    }
  }

  /// With one character too many, too few or wrong.
  private mutating func damaged(_ text: String) -> String {
    var characters = Array(text)
    let index = Int.random(in: characters.indices, using: &random)
    switch Int.random(in: 0...2, using: &random) {
    case 0: characters.remove(at: index)
    case 1: characters.insert(pick(Array(" *,.-/:05a")), at: index)
    default: characters[index] = pick(Array(" *,.-/:05a"))
    }
    return String(characters)
  }
}
