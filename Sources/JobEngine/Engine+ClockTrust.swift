import Scheduling

/// Whether the wall clock is believed: a machine without a battery for its clock boots in 1970 or where it went
/// down. Until it is, calendar dues wait; what follows the boot clock does not.
extension Engine {
  /// Asks whether the clock is believed. Not while it is, but for a new `clock_trust`: what set it may go away
  /// again, and a person who sets it back knows what time it is (``restate(_:)``).
  mutating func judgeClock() {
    let doubt = doubtNow
    guard doubt != clockDoubt else { return }
    clockDoubt = doubt
    effects.append(.report(doubt.map { .clockDoubted($0, at: now.wall) } ?? .clockBelieved))
    if doubt == nil { believeClock() } else { for id in jobs.keys { jobs[id]?.calendarFire = nil } }
  }

  mutating func judgeDoubtedClock() {
    if clockDoubt != nil { judgeClock() }
  }

  private var doubtNow: ClockDoubt? {
    if conditions.isClockSynchronized { return nil }
    switch settings.clockTrust {
    case .none: return nil
    case .synchronized: return .unsynchronized
    case .floor:
      let newest = clockFloor
      return now.wall < newest ? .behind(newest: newest) : nil
    }
  }

  /// The newest due that has been decided, of any job.
  private var clockFloor: WallTime {
    // Nothing newer is decided while the clock is behind it.
    if case .behind(let newest) = clockDoubt { return newest }
    let known = jobs.values.map(\.progress.newest) + retired.values.map(\.newest)
    return known.max() ?? WallTime(microseconds: .min)
  }

  /// Calendar dues go on from the last one that was decided; what passed meanwhile is missed.
  private mutating func believeClock() {
    for id in jobs.keys.sorted() where jobs[id]?.beginsWhenBelieved == true { begin(id) }
    restateAll()
  }

  /// What was new under a clock that was not believed begins now: its past was never due.
  private mutating func begin(_ id: JobID) {
    guard var job = jobs[id] else { return }
    job.beginsWhenBelieved = false
    job.progress.calendarThrough = max(job.progress.calendarThrough, now.wall)
    jobs[id] = job
    write(.saveProgress(id, job.progress))
  }

  // MARK: - A clock that was set

  /// Wall-clock dues are recomputed from what the job files say.
  mutating func clockStepped() {
    effects.append(.report(.clockStepped))
    if clockDoubt == nil { restateAll() } else { judgeClock() }
  }

  private mutating func restateAll() {
    wallDues.removeAll()
    for id in jobs.keys.sorted() {
      restate(id)
      armCalendar(id)
    }
    for id in retired.keys.sorted() {
      guard var progress = retired[id], progress.restate(at: now, in: bootID) else { continue }
      retired[id] = progress
      write(.saveProgress(id, progress))
    }
  }

  /// A wall clock that is set back was wrong before, and so was what was decided by it.
  private mutating func restate(_ id: JobID) {
    guard var job = jobs[id] else { return }
    job.rewoundTo = nil
    let isChanged = job.progress.restate(at: now, in: bootID)
    jobs[id] = job
    if isChanged { write(.saveProgress(id, job.progress)) }
  }
}

extension JobProgress {
  /// The newest due that has been decided.
  var newest: WallTime { intervalAnchors.values.map(\.wall).reduce(calendarThrough, max) }

  /// Says in terms of a wall clock that was set what was noted by it before: nothing lies in its future, and the
  /// anchors of this boot are where the boot clock has them. A clock that is kept in step moves all the time:
  /// less than a second is no change.
  ///
  /// - Returns: whether anything changed.
  mutating func restate(at now: Now, in bootID: BootID) -> Bool {
    var isChanged = calendarThrough > now.wall
    calendarThrough = min(calendarThrough, now.wall)
    for (length, anchor) in intervalAnchors {
      let known = now.wall - (now.boot - anchor.boot)
      let wall = anchor.bootID == bootID ? known : min(anchor.wall, now.wall)
      guard max(wall - anchor.wall, anchor.wall - wall) >= .seconds(1) else { continue }
      intervalAnchors[length]?.wall = wall
      isChanged = true
    }
    return isChanged
  }
}
