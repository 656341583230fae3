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

  private mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

  /// Between 2001 and 2050; often a few hours before a change of the clocks, or in the repeated hour after it.
  mutating func baseTime(in rules: TimeZoneRules) -> WallTime {
    while true {
      let start = WallTime(seconds: Int64(number(1_000_000_000...2_524_608_000)))
      guard chance(60), let change = rules.nextTransition(after: start) else { return start }
      let base = change.time - .seconds(number(-7_200...90_000))
      guard case .repeated(let first, let second) = rules.instants(of: rules.civilTime(at: base)) else {
        return base
      }
      let isTold = rules.offset(at: first).isDaylightSaving != rules.offset(at: second).isDaylightSaving
      if isTold { return base }
    }
  }

  mutating func expression() -> String {
    if chance(4) {
      return pick(["minutely", "Hourly", "daily", "WEEKLY", "monthly", "quarterly", "yearly", "annually"])
    }
    var parts: [String] = []
    if chance(30) { parts.append(weekdays()) }
    if chance(45) { parts.append(date()) }
    if parts.isEmpty || chance(70) { parts.append(time()) }
    if chance(8) {
      parts.append(pick(["UTC", "utc", "Europe/Paris", "Asia/Tokyo", "Europe/Nowhere", "+02:00", "Z"]))
    }
    let text = parts.joined(separator: chance(10) ? "  " : " ")
    return chance(8) ? damaged(text) : text
  }

  private mutating func weekdays() -> String {
    let names = ["Mon", "tue", "Wednesday", "THU", "Fri", "saturday", "Sun"]
    return (0..<pick([1, 1, 2, 3])).map { _ in
      let first = number(0...6)
      guard chance(40) else { return names[first] }
      let last = chance(5) ? 0 : number(first...6)
      return names[first] + pick(["..", "-"]) + names[last]
    }.joined(separator: ",")
  }

  private mutating func date() -> String {
    let year = pick([
      "*-", "*-", "", "2024-", "2012..2034-", "25-", "2000..2100/4-", "1999,2030-", "2030/7-", "70-",
    ])
    let month = list(1...12, star: 60)
    if chance(25) { return year + month + "~" + list(1...28, star: 5) }
    return year + month + "-"
      + (chance(20) ? pick(["29", "30", "31", "28..31", "32"]) : list(1...31, star: 30))
  }

  private mutating func time() -> String {
    let minutes = list(0...23, star: 35) + ":" + list(0...59, star: 25)
    guard chance(40) else { return minutes }
    let fractions = ["5.25", "59.999999", "0/0.5", "1.2345678", "1..4.5/0.5", "0/7.3", "10,0.000001"]
    return minutes + ":" + (chance(20) ? pick(fractions) : list(0...59, star: 15))
  }

  private mutating func list(_ range: ClosedRange<Int>, star percent: Int) -> String {
    if chance(percent) { return "*" }
    return (0..<pick([1, 1, 1, 2, 3, 5])).map { _ in element(range) }.joined(separator: ",")
  }

  private mutating func element(_ range: ClosedRange<Int>) -> String {
    let highest = range.upperBound + (chance(2) ? 1 : 0)
    let first = number(range.lowerBound...highest)
    switch number(0...4) {
    case 0:
      let last = number(first...highest)
      return "\(first)..\(last)" + (chance(40) ? "/\(number(1...9))" : "")
    case 1: return "\(first)/\(number(1...range.upperBound))"
    case 2: return "\(range.lowerBound)/\(pick([2, 3, 5, 7, 8, 10, 15, 20]))"
    default: return first < 10 && chance(50) ? "0\(first)" : "\(first)"
    }
  }

  /// With one character too many, too few or wrong.
  private mutating func damaged(_ text: String) -> String {
    var characters = Array(text)
    let index = number(0...characters.count - 1)
    switch number(0...2) {
    case 0: characters.remove(at: index)
    case 1: characters.insert(pick(Array(" *,.-/:~05a")), at: index)
    default: characters[index] = pick(Array(" *,.-/:~05a"))
    }
    return String(characters)
  }
}
