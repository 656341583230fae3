import AuthModel
public import Scheduling

/// Deadlines: the next one, and what happens when they pass.
extension Engine {
  /// When the engine wants to be woken next, on each clock. Recomputed after each event; the shell re-arms
  /// its two timers when it has changed.
  public mutating func nextWake() -> (boot: Instant?, wall: WallTime?) {
    dropStale()
    let due = isStoreStalled ? nil : bootDues.first?.deadline
    let boot = [due, deadlines.first?.deadline].compactMap { $0 }.min()
    let wall = isStoreStalled ? nil : [wallDues.first?.deadline, sweepAt, floorAhead].compactMap { $0 }.min()
    return (boot, wall)
  }

  /// When a wall clock that is behind may be believed.
  private var floorAhead: WallTime? {
    guard case .behind(let newest) = clockDoubt else { return nil }
    return newest
  }

  mutating func dropStale() {
    // Each run and provider has few current deadlines: past that, most of them are those of ended runs.
    if deadlines.count > 1024 + 4 * (runs.count + providers.count) { forgetStaleDeadlines() }
    while let first = wallDues.first, !isCurrent(first.reminder, wall: first.deadline) {
      wallDues.removeFirst()
    }
    while let first = bootDues.first, !isCurrent(first.reminder, boot: first.deadline) {
      bootDues.removeFirst()
    }
    while let first = deadlines.first, !isCurrent(first.reminder, boot: first.deadline) {
      deadlines.removeFirst()
    }
  }

  private mutating func forgetStaleDeadlines() {
    var current = Agenda<Instant>()
    for entry in deadlines.entries where isCurrent(entry.reminder, boot: entry.deadline) {
      current.insert(entry.reminder, at: entry.deadline)
    }
    deadlines = current
  }

  private func isCurrent(_ reminder: Reminder, wall deadline: WallTime) -> Bool {
    guard !isStopping, case .calendar(let id) = reminder else { return false }
    return jobs[id]?.calendarFire == .wall(deadline)
  }

  private func isCurrent(_ reminder: Reminder, boot deadline: Instant) -> Bool {
    switch reminder {
    case .calendar(let id): return !isStopping && jobs[id]?.calendarFire == .boot(deadline)
    case .interval(let id, let length): return !isStopping && jobs[id]?.intervalFires[length] == deadline
    case .once(let id, let due): return !isStopping && jobs[id]?.onceFires.contains(due) == true
    case .constraintWait(let id): return runs[id]?.step == .waiting(until: deadline)
    case .retry(let id): return !isStopping && runs[id]?.step == .retrying(until: deadline)
    case .timeLimit(let id): return runs[id]?.step == .running(timeLimit: deadline)
    case .grace(let id):
      guard case .stopping(_, deadline) = runs[id]?.step else { return false }
      return true
    case .phase(let name): return providers[name]?.phase == .backingOff(until: deadline)
    case .tokenExpiry(let name): return providers[name]?.expiryReminders.contains(deadline) == true
    }
  }

  /// Does everything whose time has come.
  mutating func wake() {
    if !isStoreStalled { makeDues() }
    while let first = deadlines.first, first.deadline <= now.boot {
      deadlines.removeFirst()
      if isCurrent(first.reminder, boot: first.deadline) { remind(first.reminder) }
    }
  }

  private mutating func makeDues() {
    judgeDoubtedClock()
    while let first = wallDues.first, first.deadline <= now.wall {
      wallDues.removeFirst()
      if isCurrent(first.reminder, wall: first.deadline) { wallDuePassed(first) }
    }
    while let first = bootDues.first, first.deadline <= now.boot {
      bootDues.removeFirst()
      if isCurrent(first.reminder, boot: first.deadline) { remind(first.reminder) }
    }
    if let sweepAt, sweepAt <= now.wall { sweep() }
  }

  /// While nothing can be written no due is made, so that none piles up in memory: what passes meanwhile is
  /// missed, and made up for as its job says.
  mutating func storeStalled(_ isStalled: Bool) {
    isStoreStalled = isStalled
    wake()
  }

  /// A due that comes very late is a catch-up: it is armed again, spread out.
  private mutating func wallDuePassed(_ entry: Agenda<WallTime>.Entry) {
    guard case .calendar(let id) = entry.reminder else { return }
    if entry.deadline + Self.punctuality < now.wall { armCalendar(id) } else { fireCalendar(id) }
  }

  private mutating func remind(_ reminder: Reminder) {
    switch reminder {
    case .calendar(let id): fireCalendar(id)
    case .interval(let id, let length): fireInterval(id, length)
    case .once(let id, let due): fireOnce(id, due)
    case .constraintWait(let id): runs[id].map { settle($0, as: .expired, .constraints) }
    case .retry(let id): runs[id].map { reconsider($0, overlap: .allow) }
    case .timeLimit(let id): runs[id].map { stop($0, .timeLimit) }
    case .grace(let id): effects.append(.signal(id, .kill))
    case .phase(let name): considerPhase(name)
    case .tokenExpiry(let name): stateMayHaveChanged(name)
    }
  }
}
