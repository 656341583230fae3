import AuthModel
import Scheduling

/// From schedules to dues.
extension Engine {
  /// A due that is this late has been missed: the daemon, the machine or the clock was not there.
  static let punctuality = Duration.seconds(60)
  /// Catch-ups are spread over this long, so that a resumed machine is not overrun.
  static let catchUpSpread = Duration.seconds(30)
  /// How many missed dues are counted one by one.
  static let missedCount = 1000

  /// Notes when the job is due next, on every one of its triggers.
  mutating func arm(_ id: JobID) {
    guard let schedule = jobs[id]?.definition.schedule else { return }
    armCalendar(id)
    for length in schedule.intervals { armInterval(id, length) }
    for delay in schedule.afterBoot { armOnce(id, Instant(microseconds: 0) + delay) }
    for delay in schedule.afterStart { armOnce(id, startedAt + delay) }
  }

  // MARK: - Calendar

  /// A wall clock that is behind what has been decided: the search for the next due begins now. What was
  /// decided in the time that repeats is in the ledger, which refuses it a second time.
  ///
  /// A clock that starts behind will be set, and what was decided holds again: it is not forgotten.
  mutating func rewind(_ id: JobID) {
    guard let job = jobs[id] else { return }
    jobs[id]?.rewoundTo = job.progress.calendarThrough > now.wall ? now.wall : nil
  }

  mutating func armCalendar(_ id: JobID) {
    guard var job = jobs[id] else { return }
    job.calendarFire = nil
    defer { jobs[id] = job }
    guard clockDoubt == nil else { return }
    guard let due = job.definition.schedule.nextCalendar(after: job.calendarFrom) else { return }
    let fire = due + job.offset
    if fire + Self.punctuality < now.wall {
      let late = now.boot + spread(id)
      job.calendarFire = .boot(late)
      bootDues.insert(.calendar(id), at: late)
    } else {
      job.calendarFire = .wall(fire)
      wallDues.insert(.calendar(id), at: fire)
    }
  }

  private func spread(_ id: JobID) -> Duration {
    StableHash.duration(below: Self.catchUpSpread, from: StableHash.of(machineID, id.description))
  }

  /// Decides every calendar due up to now.
  mutating func fireCalendar(_ id: JobID) {
    guard var job = jobs[id] else { return }
    let schedule = job.definition.schedule
    let end = now.wall - job.offset
    let dues = schedule.missedCalendar(
      after: job.calendarFrom, through: end,
      limit: max(Self.missedCount, schedule.missedLimit))
    if let last = dues.last {
      job.decided(through: last)
      jobs[id] = job
      write(.saveProgress(id, job.progress))
      let isPunctual = end - last <= Self.punctuality
      create(
        id, dues.map { (.calendar($0), $0 + job.offset) }, isLastPunctual: isPunctual)
    }
    armCalendar(id)
  }

  // MARK: - Intervals

  mutating func armInterval(_ id: JobID, _ length: Duration) {
    guard var job = jobs[id] else { return }
    let latest = latestInterval(job, length)
    // From here on the boot clock alone counts: the anchor of an earlier boot becomes one of this.
    job.progress.intervalAnchors[length] = latest.map { moment(ofBoot: $0) }
    let due = latest.map { $0 + length } ?? now.boot
    let fire = due + job.offset
    job.intervalFires[length] = fire
    jobs[id] = job
    bootDues.insert(.interval(id, length), at: fire)
  }

  private func moment(ofBoot boot: Instant) -> Moment {
    Moment(bootID: bootID, now: Now(boot: boot, wall: now.wall - (now.boot - boot)))
  }

  /// The boot-clock instant of the interval's latest due; before this boot, if it was.
  private func latestInterval(_ job: Job, _ length: Duration) -> Instant? {
    guard let anchor = job.progress.intervalAnchors[length] else { return nil }
    return anchor.bootID == bootID ? anchor.boot : now.boot - anchor.elapsed(until: now, in: bootID)
  }

  /// Decides every due of the interval up to now. The anchor moves by whole lengths: the cadence does
  /// not drift by run time, and a long suspend is no burst.
  mutating func fireInterval(_ id: JobID, _ length: Duration) {
    guard var job = jobs[id] else { return }
    let end = now.boot - job.offset
    let latest = latestInterval(job, length)
    let passed = latest.map { max(1, (end - $0).wholeMicroseconds / length.wholeMicroseconds) } ?? 1
    let due = latest.map { $0 + .microseconds(passed &* length.wholeMicroseconds) } ?? end
    let anchor = moment(ofBoot: due)
    job.progress.intervalAnchors[length] = anchor
    jobs[id] = job
    write(.saveProgress(id, job.progress))
    let count = min(Int(passed), max(Self.missedCount, job.definition.schedule.missedLimit))
    let dues = (0..<count).reversed().map { back in
      let shift = Duration.microseconds(Int64(back) * length.wholeMicroseconds)
      return (Due.interval(due - shift, bootID), anchor.wall - shift + job.offset)
    }
    create(id, dues, isLastPunctual: end - due <= Self.punctuality)
    armInterval(id, length)
  }

  // MARK: - Once

  private mutating func armOnce(_ id: JobID, _ due: Instant) {
    guard let job = jobs[id] else { return }
    jobs[id]?.onceFires.insert(due)
    bootDues.insert(.once(id, due), at: due + job.offset)
  }

  /// Created anew by each start of the daemon in the same boot, and refused by the ledger then.
  mutating func fireOnce(_ id: JobID, _ due: Instant) {
    guard let job = jobs[id], job.onceFires.contains(due) else { return }
    jobs[id]?.onceFires.remove(due)
    let wall = now.wall - (now.boot - due)
    create(id, [(.interval(due, bootID), wall + job.offset)], isLastPunctual: true)
  }

  // MARK: - Missed dues

  /// Makes runs of dues, oldest first, as `missed` says. The last one was not missed if it is punctual.
  private mutating func create(
    _ id: JobID, _ dues: [(due: Due, at: WallTime)], isLastPunctual: Bool
  ) {
    guard let schedule = jobs[id]?.definition.schedule, let last = dues.last else { return }
    let missed = isLastPunctual ? dues.dropLast() : dues[...]
    switch schedule.missed {
    case .once:
      accept(id, last.due, last.at, covers: dues.count - 1, isMissed: !isLastPunctual)
    case .skip:
      if let latest = missed.last {
        accept(id, latest.due, latest.at, covers: missed.count - 1, verdict: (.skipped, .missed))
      }
      if isLastPunctual { accept(id, last.due, last.at) }
    case .all:
      let rerun = missed.suffix(schedule.missedLimit)
      for (index, due) in rerun.enumerated() {
        let covers = index == 0 ? missed.count - rerun.count : 0
        accept(id, due.due, due.at, covers: covers, isMissed: true)
      }
      if isLastPunctual { accept(id, last.due, last.at, isMissed: !rerun.isEmpty) }
    }
  }
}
