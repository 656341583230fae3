/// Says when the clocks of a zone show a civil time as mktime(3) of glibc 2.36 does, whose answers for times
/// that are missing or repeated depend on where its search begins.
///
/// ``DaylightSavingPolicy/systemd`` needs those answers; everything else asks ``TimeZoneRules/instants(of:)``.
struct CivilClock {
  private let zone: ZoneTable
  /// The offset that was found last, where the next search begins.
  private var offset: Int64

  /// As after reading the clocks at `start`, in seconds since 1970 UTC.
  init(_ zone: TimeZoneRules, at start: Int64) {
    self.zone = zone.table
    offset = self.zone.segment(at: start).offset.seconds
  }

  /// What the clocks show at `time`, in seconds since 1970 UTC.
  func read(at time: Int64) -> BrokenDownTime { BrokenDownTime(time, zone.segment(at: time).offset) }

  /// Brings all parts of `civil` into their ranges; the result is when the clocks show that, in seconds since
  /// 1970 UTC. Nil when there is no answer, or one before 1970.
  mutating func normalize(_ civil: inout BrokenDownTime) -> Int64? {
    // A leap second isn't the next minute, so seconds out of range are added last.
    var wanted = civil
    wanted.second = min(max(civil.second, 0), 59)
    let start = wanted.secondsSinceEpoch
    guard var time = search(for: start, civil.isDaylightSaving) else { return nil }
    if let isDaylightSaving = civil.isDaylightSaving, read(at: time).isDaylightSaving != isDaylightSaving {
      time = neighbor(of: time, showing: start, isDaylightSaving) ?? time
    }
    offset = start - time
    time += Int64(civil.second - wanted.second)
    civil = read(at: time)
    return time < 0 ? nil : time
  }

  private func difference(_ wanted: Int64, at time: Int64) -> Int64 {
    wanted - (time + zone.segment(at: time).offset.seconds)
  }

  /// Corrects a guess by its error until it fits; in a gap it swings between two guesses and takes one.
  private func search(for wanted: Int64, _ wantsDaylightSaving: Bool?) -> Int64? {
    var guess = wanted - offset
    var (previous, beforePrevious) = (guess, guess)
    var wasDaylightSaving = false
    for _ in 0..<6 {
      let error = difference(wanted, at: guess)
      if error == 0 { return guess }
      let isDaylightSaving = zone.segment(at: guess).offset.isDaylightSaving
      let isTaken =
        wantsDaylightSaving.map { $0 != isDaylightSaving } ?? (!wasDaylightSaving || isDaylightSaving)
      if guess == beforePrevious, guess != previous, isTaken { return guess }
      (beforePrevious, previous) = (previous, guess)
      guess += error
      wasDaylightSaving = isDaylightSaving
    }
    return nil
  }

  /// The instant that would show `wanted` if the nearest stretch with or without daylight saving lasted until
  /// then.
  private func neighbor(of time: Int64, showing wanted: Int64, _ isDaylightSaving: Bool) -> Int64? {
    let stride: Int64 = 601_200
    let farthest: Int64 = 536_454_000 / 2 + stride
    for distance in Swift.stride(from: stride, to: farthest, by: Int(stride)) {
      for other in [time - distance, time + distance]
      where zone.segment(at: other).offset.isDaylightSaving == isDaylightSaving {
        return other + difference(wanted, at: other)
      }
    }
    return nil
  }
}
