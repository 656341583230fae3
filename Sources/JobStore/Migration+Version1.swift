extension Migration {
  /// Runs, attempts, and how far each job's schedule has been worked through.
  ///
  /// Times are microseconds. `_wall` is since 1970 UTC, `_boot` since the boot that `_boot_id` names.
  nonisolated static let version1 = Migration(
    version: 1,
    statements: [
      runs, runsByJob, runsByDue, runsByState, queueOrder, queueByJob, queueByExpiry, attempts, jobs,
      intervals,
    ])

  // `id` is the run id with its top bit flipped, so that signed order is the run ids' own. `drain_rank`
  // is the priority with the order reversed, so that the queue's order is ascending in every column.
  private nonisolated static let runs = """
    CREATE TABLE runs (
      id INTEGER PRIMARY KEY,
      job TEXT NOT NULL,
      due_key TEXT NOT NULL,
      due_at INTEGER NOT NULL,
      state TEXT NOT NULL,
      reason TEXT,
      attempt INTEGER NOT NULL,
      attempt_outcome TEXT,
      failures INTEGER NOT NULL,
      interruptions TEXT NOT NULL,
      covers INTEGER NOT NULL,
      provider TEXT,
      auth_state TEXT,
      token_generation INTEGER,
      refusals INTEGER NOT NULL,
      priority INTEGER NOT NULL,
      created_boot_id TEXT NOT NULL, created_boot INTEGER NOT NULL, created_wall INTEGER NOT NULL,
      deferred_boot_id TEXT, deferred_boot INTEGER, deferred_wall INTEGER,
      deferred_until INTEGER,
      started_boot_id TEXT, started_boot INTEGER, started_wall INTEGER,
      ended_boot_id TEXT, ended_boot INTEGER, ended_wall INTEGER,
      exit TEXT,
      pid INTEGER, start_ticks INTEGER, process_boot_id TEXT,
      drain_rank INTEGER NOT NULL GENERATED ALWAYS AS (~priority) VIRTUAL,
      UNIQUE (job, due_key),
      CHECK (state <> 'deferred' OR provider IS NOT NULL)
    ) STRICT
    """

  private nonisolated static let runsByJob = "CREATE INDEX runs_by_job ON runs (job, due_at, id)"

  private nonisolated static let runsByDue = "CREATE INDEX runs_by_due ON runs (due_at, id)"

  private nonisolated static let runsByState = "CREATE INDEX runs_by_state ON runs (state, due_at, id)"

  private nonisolated static let queueOrder = """
    CREATE INDEX queue_order ON runs (provider, drain_rank, due_at, id) WHERE state = 'deferred'
    """

  private nonisolated static let queueByJob = """
    CREATE INDEX queue_by_job ON runs (job, due_at, id) WHERE state = 'deferred'
    """

  private nonisolated static let queueByExpiry = """
    CREATE INDEX queue_by_expiry ON runs (deferred_until, id) WHERE state = 'deferred'
    """

  private nonisolated static let attempts = """
    CREATE TABLE attempts (
      run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
      number INTEGER NOT NULL,
      started_boot_id TEXT, started_boot INTEGER, started_wall INTEGER,
      ended_boot_id TEXT, ended_boot INTEGER, ended_wall INTEGER,
      outcome TEXT,
      reason TEXT,
      exit TEXT,
      token_generation INTEGER,
      pid INTEGER, start_ticks INTEGER, process_boot_id TEXT,
      PRIMARY KEY (run, number)
    ) STRICT, WITHOUT ROWID
    """

  // `stamped` and `pruned` count dues for ever; `calendar_through` is null until progress is first saved.
  private nonisolated static let jobs = """
    CREATE TABLE jobs (
      job TEXT PRIMARY KEY,
      calendar_through INTEGER,
      is_paused INTEGER NOT NULL DEFAULT 0,
      stamped INTEGER NOT NULL DEFAULT 0,
      pruned INTEGER NOT NULL DEFAULT 0
    ) STRICT, WITHOUT ROWID
    """

  private nonisolated static let intervals = """
    CREATE TABLE intervals (
      job TEXT NOT NULL REFERENCES jobs (job) ON DELETE CASCADE,
      length INTEGER NOT NULL,
      anchor_boot_id TEXT NOT NULL, anchor_boot INTEGER NOT NULL, anchor_wall INTEGER NOT NULL,
      PRIMARY KEY (job, length)
    ) STRICT, WITHOUT ROWID
    """
}
