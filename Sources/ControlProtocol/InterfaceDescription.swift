/// The interfaces that the control socket describes when asked (`GetInterfaceDescription`).
public enum InterfaceDescription {
  public static let names = ["org.varlink.service", "org.nightlatch.Control"]

  /// The description of an interface in Varlink's own language; nil for one that is not served.
  public static func text(of interface: String) -> String? {
    switch interface {
    case "org.nightlatch.Control": control
    case "org.varlink.service": service
    default: nil
    }
  }

  /// `org.nightlatch.Control.varlink`, to the byte; a test compares them.
  public static let control = #"""
    # Nightlatch: background jobs that wait for a verified session.
    #
    # The one door to a running nightlatchd, on /run/nightlatch/control.sock (with --user:
    # $XDG_RUNTIME_DIR/nightlatch/control.sock). Times are RFC 3339 in UTC, durations are integers in
    # microseconds (names end in _usec). A field that is absent or null is not known or does not apply.
    interface org.nightlatch.Control

    # The daemon as a whole. `mode` is `system` or `user`.
    type DaemonStatus (
      version: string,
      pid: int,
      started: string,
      mode: string,
      config_folder: string,
      state_folder: string,
      runtime_folder: string,
      jobs: int,
      jobs_with_problems: int,
      running: int,
      waiting: int,
      deferred: int,
      next_job: ?string,
      next_due: ?string,
      # Why the ledger can't be written; no run starts until it can.
      store_problem: ?string,
      # Why the wall clock is not trusted; no calendar due is made until it is.
      clock_problem: ?string,
      # Whether the daemon takes no more work because it is about to exit.
      stopping: bool,
      providers: []Provider,
      # How many errors and warnings the configuration has.
      diagnostics: int
    )

    # A job file. `kind` is `app-refresh` or `processing`; `requires` is `none`, `session` or `verified`;
    # `state` is `idle`, `waiting`, `deferred`, `running`, `paused` or `problem`.
    type Job (
      job: string,
      description: ?string,
      kind: string,
      command: string,
      # Each trigger in its canonical form.
      schedule: []string,
      timezone: string,
      provider: ?string,
      requires: string,
      paused: bool,
      state: string,
      next_due: ?string,
      running: int,
      waiting: int,
      deferred: int,
      # The newest run that has begun or ended.
      last: ?Run,
      file: string,
      # Why the file is not in force as it is now; the last good definition stays.
      problem: ?string
    )

    # What became of one due. `due_kind` is `calendar`, `interval` or `request`. `state` is one of
    # `waiting`, `queued`, `deferred`, `starting`, `running`, `retrying`, or a verdict: `succeeded`,
    # `failed`, `timed-out`, `interrupted`, `skipped`, `coalesced`, `expired`, `cancelled`, `quarantined`.
    type Run (
      run: string,
      job: string,
      due: string,
      due_kind: string,
      state: string,
      reason: ?string,
      # The number of the latest attempt; 0 before the first.
      attempt: int,
      # Attempts that failed and count against the job's retry limit.
      failures: int,
      # How many earlier dues this one stands for as well.
      covers: int,
      provider: ?string,
      auth_state: ?string,
      priority: int,
      created: string,
      deferred: ?string,
      deferred_until: ?string,
      started: ?string,
      ended: ?string,
      # When it is tried again, of a run that is `retrying`.
      next_attempt: ?string,
      # What it waits for in the foreground queue, if no phase is asked for on its account.
      blocked: ?string,
      exit_code: ?int,
      signal: ?int,
      # How long after its due the first attempt began; absent on later attempts.
      lateness_usec: ?int,
      token_generation: ?int
    )

    # One start of a run.
    type Attempt (
      attempt: int,
      started: ?string,
      ended: ?string,
      outcome: ?string,
      exit_code: ?int,
      signal: ?int,
      reason: ?string,
      token_generation: ?int
    )

    # `email`, `username` and `linked_accounts` are as the provider gave them, for people: nothing may be
    # decided by them.
    type User (
      id: string,
      name: ?string,
      email: ?string,
      username: ?string,
      linked_accounts: []LinkedAccount
    )

    type LinkedAccount (kind: string, identifier: string)

    # A refresh attempt. `outcome` is `success`, `clockSuspect`, `transient`, `ambiguous`, `definite`,
    # `lostRotation`, `rejectedUnknown`, `configuration` or `spentToken`.
    type RefreshAttempt (
      outcome: string,
      ended: string,
      detail: string,
      failures: int,
      retry_after_usec: ?int
    )

    # A provider and its session. `kind` is `oidc` or `oauth2`; `auth_state` is `authenticated`,
    # `authenticatedUnverified`, `unauthenticated` or `notReady`; `spend` is `settled`, `open` or
    # `ambiguous`; `phase` is `running`, `backing off`, `parked` or `idle`.
    type Provider (
      provider: string,
      kind: string,
      auth_state: string,
      user: ?User,
      # Why the session is absent or unknown.
      reason: ?string,
      # When the session came into this state, as far as the auth cache tells.
      since: ?string,
      token_expires: ?string,
      # When the refresh token expires unless it is used before, if anybody said.
      session_ends: ?string,
      token_generation: ?int,
      verified: bool,
      spend: string,
      last_attempt: ?RefreshAttempt,
      phase: string,
      next_phase: ?string,
      # Runs in the foreground queue that wait for this provider.
      deferred: int,
      # What the foreground queue waits for, if only a person can provide it.
      blocked: ?string
    )

    # `severity` is `error` or `warning`; `note` is for `nightlatch check`, which alone looks at the machine. `line` and
    # `column` count from 1 and are 0 for a whole file.
    type Diagnostic (
      path: string,
      line: int,
      column: int,
      severity: string,
      message: string
    )

    method Status() -> (status: DaemonStatus)

    method ListJobs(job: ?string) -> (jobs: []Job)

    # The foreground queue in the order in which it is drained. `total` counts without the limit.
    method ListQueue(job: ?string, provider: ?string, limit: ?int) -> (entries: []Run, total: int)

    # Runs, newest due first.
    method ListRuns(job: ?string, state: ?string, limit: ?int) -> (runs: []Run)

    method GetRun(run: string) -> (run: Run, attempts: []Attempt)

    # Explains a run, the job's run of a due, or the job's newest run. `run` or `job` is needed.
    method Why(job: ?string, due: ?string, run: ?string) -> (
      run: Run,
      attempts: []Attempt,
      explanation: []string
    )

    # Requests a run now. With `wait` the reply comes when the run has its verdict.
    method RunJob(job: string, wait: bool) -> (run: Run)

    # Cancels a run, or every run of a job that has not ended. `run` or `job` is needed.
    method Cancel(job: ?string, run: ?string) -> (cancelled: []string)

    # Stops a job from coming due. What is under way goes on.
    method Pause(job: string) -> ()

    method Resume(job: string) -> ()

    # Asks for a foreground phase now, for one provider or for all, and resets the backoff. With `wait`
    # the reply comes when the phases have ended.
    method Foreground(provider: ?string, wait: bool) -> (providers: []Provider)

    method ListAuth(provider: ?string) -> (providers: []Provider)

    # Hands out the cached access token if it is valid for at least `min_valid_usec`. If there is none and
    # `wait_usec` is given, asks for a foreground phase and replies when it has brought one, when only a person can
    # bring one, or after that time (at most an hour). Inside a run it never asks for a phase.
    method GetToken(provider: string, min_valid_usec: ?int, wait_usec: ?int) -> (
      token: string,
      expires: ?string
    )

    # Reads the configuration again. A bad file never stops the others.
    method Reload() -> (jobs: int, providers: int, diagnostics: []Diagnostic)

    # Says that the network is back: resets the backoff and may start foreground phases.
    method NetworkRestored() -> ()

    error NoSuchJob (job: string, nearest: ?string)

    error NoSuchRun (run: string)

    error NoSuchProvider (provider: string, nearest: ?string)

    error NotPermitted (reason: string)

    error TokenUnavailable (provider: string, auth_state: string, reason: string)

    error AlreadyEnded (run: string)

    error NotNow (reason: string)

    error StoreUnavailable (reason: string)

    """#

  /// The interface every Varlink service has (varlink.org, "Service").
  public static let service = #"""
    # The Varlink Service Interface is provided by every varlink service. It
    # describes the service and the interfaces it implements.
    interface org.varlink.service

    # Get a list of all the interfaces a service provides and information
    # about the implementation.
    method GetInfo() -> (
      vendor: string,
      product: string,
      version: string,
      url: string,
      interfaces: []string
    )

    # Get the description of an interface that is implemented by this service.
    method GetInterfaceDescription(interface: string) -> (description: string)

    # The requested interface was not found.
    error InterfaceNotFound (interface: string)

    # The requested method was not found
    error MethodNotFound (method: string)

    # The interface defines the requested method, but the service does not
    # implement it.
    error MethodNotImplemented (method: string)

    # One of the passed parameters is invalid.
    error InvalidParameter (parameter: string)

    """#
}
