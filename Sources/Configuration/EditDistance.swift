/// The number of insertions, deletions, replacements and swaps of neighbours that turn one text into
/// the other, each place edited once (optimal string alignment distance), regardless of case.
func editDistance(_ left: String, _ right: String) -> Int {
  let (left, right) = (Array(left.lowercased().unicodeScalars), Array(right.lowercased().unicodeScalars))
  var beforeLast: [Int] = []
  var last = Array(0...right.count)
  for row in 0..<left.count {
    var current = [row + 1]
    current.reserveCapacity(right.count + 1)
    for column in 0..<right.count {
      let replaced = last[column] + (left[row] == right[column] ? 0 : 1)
      var least = min(replaced, last[column + 1] + 1, current[column] + 1)
      if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
        least = min(least, beforeLast[column - 1] + 1)
      }
      current.append(least)
    }
    (beforeLast, last) = (last, current)
  }
  return last[right.count]
}

/// The candidate that was probably meant: the nearest one, if a third of its length or less is wrong.
public func nearest(to text: String, among candidates: some Sequence<String>) -> String? {
  // Nothing of ours is as long as this; hostile input must not cost quadratic time.
  guard text.utf8.count <= 200 else { return nil }
  let ranked = candidates.map { (name: $0, distance: editDistance(text, $0)) }
  guard let best = ranked.min(by: { ($0.distance, $0.name) < ($1.distance, $1.name) }) else { return nil }
  return best.distance <= max(1, best.name.count / 3) ? best.name : nil
}
