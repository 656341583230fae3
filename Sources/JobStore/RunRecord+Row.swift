import AuthModel
import JobEngine
import Scheduling

/// The one place that knows in which columns a run is kept: ``columns``, ``bind(to:)`` and ``init(row:)``
/// list them in the same order.
extension RunRecord {
  /// Fixed when the due is stamped.
  private static let fixed = [
    "id", "job", "due_key", "created_boot_id", "created_boot", "created_wall",
  ]

  private static let changing = [
    "due_at", "state", "reason", "attempt", "attempt_outcome", "failures", "interruptions", "covers",
    "provider", "auth_state", "token_generation", "refusals", "priority",
    "deferred_boot_id", "deferred_boot", "deferred_wall", "deferred_until",
    "started_boot_id", "started_boot", "started_wall", "ended_boot_id", "ended_boot", "ended_wall",
    "exit", "pid", "start_ticks", "process_boot_id",
  ]

  static let columns = (fixed + changing).joined(separator: ", ")

  static let insertUnlessPresent = """
    INSERT INTO runs (\(columns)) \
    VALUES (\((fixed + changing).map { _ in "?" }.joined(separator: ", "))) ON CONFLICT DO NOTHING
    """

  /// Takes the same parameters as ``insertUnlessPresent``.
  static let replace = """
    UPDATE runs SET \
    \(changing.enumerated().map { "\($1) = ?\(fixed.count + $0 + 1)" }.joined(separator: ", ")) \
    WHERE id = ?1
    """

  func bind(to binder: inout Binder) {
    binder.id(id)
    binder.text(job.description)
    binder.text(due.key)
    binder.moment(created)
    binder.wall(dueAt)
    binder.text(state.rawValue)
    binder.text(reason)
    binder.integer(attempt)
    binder.text(attemptOutcome?.rawValue)
    binder.integer(failures)
    binder.text(interruptions.map { String($0.microseconds) }.joined(separator: ","))
    binder.integer(covers)
    binder.text(provider?.description)
    binder.text(authState)
    binder.bits(tokenGeneration)
    binder.integer(refusals)
    binder.integer(priority)
    binder.moment(deferred)
    binder.wall(deferredUntil)
    binder.moment(started)
    binder.moment(ended)
    binder.text(exit?.storedForm)
    binder.process(process)
  }

  init(row: inout Row) throws(StoreError.Cause) {
    let id = try row.id()
    let job = JobID(try row.text())
    let due = try row.required(Due(key: try row.text()))
    let created = try row.moment()
    let dueAt = try row.wall()
    let state = try row.required(RunState(rawValue: try row.text()))
    self.init(job: job, due: due, dueAt: dueAt, state: state, created: created)
    self.id = id
    reason = row.optionalText()
    attempt = try row.number()
    attemptOutcome = try row.optionalName()
    failures = try row.number()
    interruptions = try row.walls()
    covers = try row.number()
    provider = row.optionalText().map(ProviderName.init)
    authState = row.optionalText()
    tokenGeneration = row.bits()
    refusals = try row.number()
    priority = try row.number()
    deferred = row.optionalMoment()
    deferredUntil = row.optionalWall()
    started = row.optionalMoment()
    ended = row.optionalMoment()
    exit = try row.exit()
    process = try row.process()
  }
}

extension Row {
  fileprivate mutating func walls() throws(StoreError.Cause) -> [WallTime] {
    var walls: [WallTime] = []
    for part in try text().split(separator: ",") {
      walls.append(WallTime(microseconds: try required(Int64(part))))
    }
    return walls
  }
}
