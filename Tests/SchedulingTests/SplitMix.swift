/// A small generator whose sequence is fixed by its seed.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

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
