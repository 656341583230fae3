import Scheduling

// Stands in until `Scheduling` has its own.
extension WallTime {
  var rfc3339: String {
    let seconds = microseconds.quotientFloor(1_000_000)
    let fraction = microseconds - seconds * 1_000_000
    let days = seconds.quotientFloor(86400)
    let second = seconds - days * 86400
    let (year, month, day) = civil(days)
    func two(_ n: Int64) -> String { n < 10 ? "0\(n)" : "\(n)" }
    let digits = "\(fraction)"
    let tail = fraction == 0 ? "" : "." + String(repeating: "0", count: 6 - digits.count) + digits
    return
      "\(year)-\(two(month))-\(two(day))T\(two(second / 3600)):\(two(second / 60 % 60)):\(two(second % 60))\(tail)Z"
  }
  init?(rfc3339 text: String) { return nil }
}
extension Int64 {
  fileprivate func quotientFloor(_ d: Int64) -> Int64 { self >= 0 ? self / d : -((-self + d - 1) / d) }
}
private func civil(_ days: Int64) -> (Int64, Int64, Int64) {
  let z = days + 719468
  let era = z.quotientFloor(146097)
  let doe = z - era * 146097
  let yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365
  let doy = doe - (365 * yoe + yoe / 4 - yoe / 100)
  let mp = (5 * doy + 2) / 153
  let m = mp < 10 ? mp + 3 : mp - 9
  return (yoe + era * 400 + (m <= 2 ? 1 : 0), m, doy - (153 * mp + 2) / 5 + 1)
}
