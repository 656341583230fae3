import JobEngine
import Scheduling

extension AttemptRecord {
  static let columns = """
    run, number, started_boot_id, started_boot, started_wall, ended_boot_id, ended_boot, ended_wall, \
    outcome, reason, exit, token_generation, pid, start_ticks, process_boot_id
    """

  /// An attempt that has an outcome is history: a later change of its run leaves it as it is.
  static let insertOrReplaceUnlessOver = """
    INSERT INTO attempts (\(columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) \
    ON CONFLICT (run, number) DO UPDATE SET \
    started_boot_id = excluded.started_boot_id, started_boot = excluded.started_boot, \
    started_wall = excluded.started_wall, ended_boot_id = excluded.ended_boot_id, \
    ended_boot = excluded.ended_boot, ended_wall = excluded.ended_wall, outcome = excluded.outcome, \
    reason = excluded.reason, exit = excluded.exit, token_generation = excluded.token_generation, \
    pid = excluded.pid, start_ticks = excluded.start_ticks, process_boot_id = excluded.process_boot_id \
    WHERE outcome IS NULL
    """

  func bind(to binder: inout Binder) {
    binder.id(run)
    binder.integer(number)
    binder.moment(started)
    binder.moment(ended)
    binder.text(outcome?.rawValue)
    binder.text(reason)
    binder.text(exit?.storedForm)
    binder.bits(tokenGeneration)
    binder.process(process)
  }

  init(row: inout Row) throws(StoreError.Cause) {
    self.init(run: try row.id(), number: try row.number())
    started = row.optionalMoment()
    ended = row.optionalMoment()
    outcome = try row.optionalName()
    reason = row.optionalText()
    exit = try row.exit()
    tokenGeneration = row.bits()
    process = try row.process()
  }
}
