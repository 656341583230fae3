import SeededRandom

extension SplitMix {
  /// A cron field and the values that it stands for.
  mutating func field(_ range: ClosedRange<Int>) -> (text: String, values: Set<Int>) {
    let first = Int.random(in: range, using: &self)
    let last = Int.random(in: first...range.upperBound, using: &self)
    let step = Int.random(in: 1...12, using: &self)
    switch Int.random(in: 0...4, using: &self) {
    case 0: return ("*", Set(range))
    case 1: return ("*/\(step)", Set(stride(from: range.lowerBound, through: range.upperBound, by: step)))
    case 2: return ("\(first)-\(last)/\(step)", Set(stride(from: first, through: last, by: step)))
    case 3: return ("\(last),\(first)", [first, last])
    default: return ("\(first)", [first])
    }
  }
}
