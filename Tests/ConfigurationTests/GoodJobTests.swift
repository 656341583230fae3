import AuthModel
import Configuration
import JobEngine
import Scheduling
import Testing

/// An example of an ordinary job.
let mailSync = """
  # jobs.d/com.example.mail-sync.toml
  description = "Sync mail"
  kind = "app-refresh"                   # app-refresh (short) | processing (long)
  command = ["/usr/bin/mbsync", "-a"]    # or shell = "..."
  user = "alice"

  [schedule]
  calendar = "*:0/15"
  randomized_delay = "30s"

  [auth]
  provider = "work"
  requires = "verified"
  min_token_lifetime = "5min"
  defer_for = "12h"

  [constraints]
  network = "any"

  [limits]
  time_limit = "2min"

  [retry]
  attempts = 3
  """

/// Every key of a job file, none at its default.
let everyJobKey = """
  description = "Ünïcode"
  kind = "processing"
  shell = "exit 0"
  user = "DOMAIN\\\\bob"
  working_directory = "/srv"
  environment = { LANG = "C.UTF-8", EMPTY = "" }
  priority = -5
  overlap = "queue"
  on_interrupted = "give-up"

  [schedule]
  calendar = ["Mon..Fri 9:00", "daily"]
  cron = "0 9 * * 1-5"
  every = ["90s", "1h 30min"]
  after_boot = "5min"
  after_start = ["0", "10s"]
  timezone = "Europe/Berlin"
  randomized_delay = "1min"
  dst = "systemd"
  missed = "all"
  missed_limit = 7

  [auth]
  provider = "work"
  requires = "session"
  min_token_lifetime = "2min"
  on_unauthenticated = "defer"
  on_not_ready = "skip"
  defer_for = "3h"
  coalesce = "all"
  max_deferred = 9
  deliver = "env:TOKEN"

  [constraints]
  network = "any"
  external_power = true
  battery_min = 40
  constraint_wait = "2h"
  on_lost = "stop"

  [limits]
  time_limit = "3h"
  grace = "0"
  memory_max = "1.5G"

  [retry]
  attempts = 4
  backoff = "linear"
  initial = "1s"
  max = "1min"
  """

func parse(_ text: String, name: String = "com.example.job") -> Parsed<JobDefinition> {
  JobDefinition.parse(SourceFile(path: "/etc/nightlatch/jobs.d/\(name).toml", text: text), zones: zones)
}

@Test func `an ordinary job is understood`() throws {
  let parsed = parse(mailSync, name: "com.example.mail-sync")
  #expect(parsed.diagnostics == [])
  var expected = JobDefinition(
    id: JobID("com.example.mail-sync"), kind: .appRefresh, command: .arguments(["/usr/bin/mbsync", "-a"]))
  expected.description = "Sync mail"
  expected.user = "alice"
  expected.schedule.calendars = [.calendar(try CalendarExpression(parsing: "*:0/15", zones: zones.find))]
  expected.schedule.randomizedDelay = .seconds(30)
  expected.auth.provider = ProviderName("work")
  expected.auth.requires = .verified
  expected.auth.minTokenLifetime = .seconds(300)
  expected.auth.deferFor = .seconds(12 * 3600)
  expected.constraints.network = true
  expected.limits.timeLimit = .seconds(120)
  expected.retry.attempts = 3
  #expect(parsed.value == expected)
}

@Test func `every key of a job arrives`() throws {
  let parsed = parse(everyJobKey)
  #expect(parsed.diagnostics.map(\.severity) == [.warning])
  #expect(parsed.diagnostics.first?.message.hasPrefix("memory_max is not enforced yet") == true)
  var expected = JobDefinition(id: JobID("com.example.job"), kind: .processing, command: .shell("exit 0"))
  expected.description = "Ünïcode"
  expected.user = "DOMAIN\\bob"
  expected.workingDirectory = "/srv"
  expected.environment = ["LANG": "C.UTF-8", "EMPTY": ""]
  expected.priority = -5
  expected.overlap = .queue
  expected.onInterrupted = .giveUp
  expected.schedule = try everySchedule()
  expected.auth = everyAuth()
  expected.constraints.network = true
  expected.constraints.externalPower = true
  expected.constraints.batteryMin = 40
  expected.constraints.wait = .seconds(7200)
  expected.constraints.onLost = .stop
  expected.limits.timeLimit = .seconds(3 * 3600)
  expected.limits.grace = .zero
  expected.limits.memoryMax = 3 << 29
  expected.retry.attempts = 4
  expected.retry.backoff = .linear
  expected.retry.initial = .seconds(1)
  expected.retry.max = .seconds(60)
  #expect(parsed.value == expected)
}

private func everySchedule() throws -> Schedule {
  var schedule = Schedule()
  schedule.calendars = [
    .calendar(try CalendarExpression(parsing: "Mon..Fri 9:00", zones: zones.find)),
    .calendar(try CalendarExpression(parsing: "daily", zones: zones.find)),
    .cron(try CronExpression(parsing: "0 9 * * 1-5")),
  ]
  schedule.intervals = [.seconds(90), .seconds(5400)]
  schedule.afterBoot = [.seconds(300)]
  schedule.afterStart = [.zero, .seconds(10)]
  schedule.zone = try #require(zones.find("Europe/Berlin"))
  schedule.daylightSaving = .systemd
  schedule.randomizedDelay = .seconds(60)
  schedule.missed = .all
  schedule.missedLimit = 7
  return schedule
}

private func everyAuth() -> AuthPolicy {
  var auth = AuthPolicy()
  auth.provider = ProviderName("work")
  auth.requires = .session
  auth.minTokenLifetime = .seconds(120)
  auth.onUnauthenticated = .defer
  auth.onNotReady = .skip
  auth.deferFor = .seconds(3 * 3600)
  auth.coalesce = .all
  auth.maxDeferred = 9
  auth.deliver = .environment("TOKEN")
  return auth
}

@Test func `a file with a command and nothing else gets every default`() {
  let parsed = parse("command = ['true']")
  #expect(parsed.diagnostics == [])
  let expected = JobDefinition(id: JobID("com.example.job"), command: .arguments(["true"]))
  #expect(parsed.value == expected)
}

@Test func `the time limit's default follows the kind`() {
  #expect(parse("command = ['true']\nkind = 'app-refresh'").value?.limits.timeLimit == .seconds(30))
  #expect(parse("command = ['true']\nkind = 'processing'").value?.limits.timeLimit == .seconds(3600))
}

@Test func `a schedule without a time zone is read in the machine's`() throws {
  let berlin = try #require(zones.find("Europe/Berlin"))
  let here = ZoneSource(local: berlin, find: zones.find)
  let file = SourceFile(path: "j.toml", text: "command = ['true']\nschedule.calendar = 'daily'")
  #expect(JobDefinition.parse(file, zones: here).value?.schedule.zone == berlin)
}

@Test func `an initial delay beyond the default longest raises the longest`() {
  let retry = parse("command = ['true']\nretry.initial = '2h'").value?.retry
  #expect(retry?.initial == .seconds(7200))
  #expect(retry?.max == .seconds(7200))
}
