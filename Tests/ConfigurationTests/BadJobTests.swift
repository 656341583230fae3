import Testing

struct BadFile: Sendable, CustomTestStringConvertible {
  var text: String
  var diagnostics: [String]

  init(_ text: String, _ diagnostics: String...) {
    self.text = text
    self.diagnostics = diagnostics
  }

  var testDescription: String { String(text.prefix(200)) }
}

/// Each with a good command in its first line unless the command is the point.
let badJobs: [BadFile] = [
  // Command.
  BadFile(
    "",
    #"1:1: error: command is missing: a job needs command = ["/path/to/program", "argument"] or shell = "...""#
  ),
  BadFile(
    "command = []",
    "1:11: error: command is empty, but a program and its arguments are expected"),
  BadFile(
    "command = ['']",
    "1:12: error: command begins with an empty string, but a program is expected"),
  BadFile(
    "command = 'true'",
    #"1:11: error: command is a string, but an array such as ["/usr/bin/program", "argument"] is expected; a line for the shell is written as shell = "...""#
  ),
  BadFile(
    "command = ['true', 1, '\\u0000']",
    "1:20: error: command is an integer, but a string is expected"),
  BadFile(
    "command = ['true', 1, \"\\u0000\"]",
    "1:20: error: command is an integer, but a string is expected",
    "1:23: error: command contains a NUL character, which no system call accepts"),
  BadFile(
    "command = ['bin/sync']",
    #"1:12: error: command begins with the relative path "bin/sync", but an absolute path, or a name to look up in PATH, is expected"#
  ),
  BadFile(
    "command = ['./sync']",
    #"1:12: error: command begins with the relative path "./sync", but an absolute path, or a name to look up in PATH, is expected"#
  ),
  BadFile(
    "shell = ''",
    #"1:9: error: shell is "", but a string that is not empty is expected"#),
  BadFile(
    "command = ['true']\nshell = 'true'",
    "2:9: error: shell is set as well as command, but a job has exactly one of them"),
  // Unknown keys.
  BadFile(
    "command = ['true']\ndescripton = 'x'",
    #"2:1: error: unknown key "descripton" at the top level; did you mean "description"?"#),
  BadFile(
    "command = ['true']\nzzz = 1",
    #"2:1: error: unknown key "zzz" at the top level; known here are "auth", "command", "constraints", "description", "environment", "kind", "limits", "on_interrupted", "overlap", "priority", "retry", "schedule", "shell", "user" and "working_directory""#
  ),
  BadFile(
    "command = ['true']\ntime_limit = '5s'",
    #"2:1: error: unknown key "time_limit" at the top level; it belongs in [limits]"#),
  BadFile(
    "command = ['true']\n[schedule]\nuser = 'bob'",
    #"3:1: error: unknown key "user" in [schedule]; it belongs above the first [section]"#),
  BadFile(
    "command = ['true']\n[schedule]\ncalender = 'daily'\nevrey = '5s'",
    #"3:1: error: unknown key "calender" in [schedule]; did you mean "calendar"?"#,
    #"4:1: error: unknown key "evrey" in [schedule]; did you mean "every"?"#),
  BadFile(
    "command = ['true']\n[schedul]\ncalendar = 'daily'",
    #"2:2: error: unknown key "schedul" at the top level; did you mean "schedule"?"#),
  BadFile(
    "command = ['true']\n[schedule]\ntime_limt = '5s'",
    #"3:1: error: unknown key "time_limt" in [schedule]; did you mean "time_limit" in [limits]?"#),
  BadFile(
    "command = ['true']\n\"\\u001b[31m\" = 1",
    #"2:1: error: unknown key "\u{1b}[31m" at the top level; known here are "auth", "command", "constraints", "description", "environment", "kind", "limits", "on_interrupted", "overlap", "priority", "retry", "schedule", "shell", "user" and "working_directory""#
  ),
  // Types.
  BadFile(
    "command = ['true']\nschedule = 'daily'",
    "2:12: error: schedule is a string, but a section [schedule] is expected"),
  BadFile(
    "command = ['true']\n[[schedule]]\nevery = '5s'",
    "2:1: error: schedule is an array, but a section [schedule] is expected"),
  BadFile(
    "command = ['true']\ndescription = 5\nuser = true\npriority = 'high'\nworking_directory = 1.5",
    "2:15: error: description is an integer, but a line of text without control characters is expected",
    "3:8: error: user is a boolean, but a user name is expected",
    "4:12: error: priority is a string, but an integer from -1000 to 1000 is expected",
    "5:21: error: working_directory is a floating-point number, but an absolute path is expected"),
  BadFile(
    "command = ['true']\npriority = 1001",
    "2:12: error: priority is 1001, but an integer from -1000 to 1000 is expected"),
  BadFile(
    "command = ['true']\nkind = 2024-01-01",
    #"2:8: error: kind is a date or time, but one of "app-refresh" or "processing" is expected"#),
  BadFile(
    "command = ['true']\nconstraints = { external_power = 'yes', battery_min = 0, network = 'unmetered' }",

    "2:34: error: external_power is a string, but true or false is expected",
    "2:55: error: battery_min is 0, but an integer from 1 to 100 is expected",
    #"2:68: error: network is "unmetered", but "any" is expected"#),
  // Enumerations.
  BadFile(
    "command = ['true']\noverlap = 'skp'\non_interrupted = 'giveup'\nkind = 'Processing'",
    #"2:11: error: overlap is "skp", but one of "skip", "queue", "replace" or "allow" is expected; did you mean "skip"?"#,
    #"3:18: error: on_interrupted is "giveup", but one of "rerun" or "give-up" is expected; did you mean "give-up"?"#,
    #"4:8: error: kind is "Processing", but one of "app-refresh" or "processing" is expected; did you mean "processing"?"#
  ),
  BadFile(
    "command = ['true']\nauth.requires = 'token'",
    #"2:17: error: requires is "token", but one of "none", "session" or "verified" is expected"#),
  // Account, folder, environment.
  BadFile(
    "command = ['true']\nuser = 'a:b'\nworking_directory = '~/x'\ndescription = \"a\\nb\"",
    #"2:8: error: user is "a:b", but a user name is expected"#,
    #"3:21: error: working_directory is "~/x", but an absolute path is expected"#,
    #"4:15: error: description is "a\u{a}b", but a line of text without control characters is expected"#),
  BadFile(
    "command = ['true']\n[environment]\nPATH = 1\n2X = 'a'\nNIGHTLATCH_RUN = 'x'\n'A=B' = 'x'",
    "3:8: error: environment.PATH is an integer, but a string is expected",
    #"4:1: error: environment: "2X" is not a variable name, but letters, digits and _ are expected"#,
    "5:1: error: environment: NIGHTLATCH_RUN can't be set: names that begin with NIGHTLATCH_ are reserved",
    #"6:1: error: environment: "A=B" is not a variable name, but letters, digits and _ are expected"#),
  BadFile(
    "command = ['true']\nenvironment = ['A=B']",
    #"2:15: error: environment is an array, but a table such as { LANG = "C.UTF-8" } is expected"#),
  // Schedule.
  BadFile(
    "command = ['true']\nschedule.every = 5",
    #"2:18: error: every is an integer, but a time span such as "90s" or "1h 30min" is expected"#),
  BadFile(
    "command = ['true']\nschedule.every = '5 fortnights'",
    #"2:21: error: every "5 fortnights" is no time span: a number was expected"#),
  BadFile(
    "command = ['true']\nschedule.every = ''",
    #"2:19: error: every "" is no time span: it is empty"#),
  BadFile(
    "command = ['true']\nschedule.every = ['1min', '1us', -1]",
    #"2:27: error: every is "1us", but a time span from 10ms to 100y is expected"#,
    #"2:34: error: every is an integer, but a time span such as "90s" or "1h 30min" is expected"#),
  BadFile(
    "command = ['true']\nschedule.every = 'infinity'",
    #"2:19: error: every "infinity" is no time span: "infinity" isn't a finite time span"#),
  BadFile(
    "command = ['true']\nschedule.every = '200y'",
    #"2:18: error: every is "200y", but a time span from 10ms to 100y is expected"#),
  BadFile(
    "command = ['true']\nschedule.calendar = 'Mon..Fri 25:00'",
    #"2:31: error: calendar "Mon..Fri 25:00" is no calendar expression: the hour isn't between 0 and 23"#),
  BadFile(
    "command = ['true']\nschedule.calendar = \"\"\"Mon..Fri 25:00\"\"\"",
    #"2:21: error: calendar "Mon..Fri 25:00" is no calendar expression: the hour isn't between 0 and 23"#),
  BadFile(
    "command = ['true']\nschedule.calendar = '*-02-30'",
    #"2:21: error: calendar "*-02-30" never comes: there is no such date and time"#),
  BadFile(
    "command = ['true']\nschedule.calendar = '0 9 * * *'",
    #"2:22: error: calendar "0 9 * * *" is no calendar expression: it reads like a cron expression; write it as `cron = "..."`"#
  ),
  BadFile(
    "command = ['true']\nschedule.calendar = 'daily Europe/Berln'",
    #"2:28: error: calendar "daily Europe/Berln" is no calendar expression: "Europe/Berln" is neither a part of the expression nor a time zone of this system; did you mean "Europe/Berlin"?"#
  ),
  BadFile(
    "command = ['true']\nschedule.cron = '61 * * * *'",
    #"2:18: error: cron "61 * * * *" is no cron expression: the minute isn't between 0 and 59"#),
  BadFile(
    "command = ['true']\nschedule.cron = '0 0 30 2 *'",
    #"2:17: error: cron "0 0 30 2 *" never comes: there is no such date and time"#),
  BadFile(
    "command = ['true']\nschedule.cron = '@reboot'",
    #"2:18: error: cron "@reboot" is no cron expression: `@reboot` isn't a time; write `after_boot` or `after_start` instead"#
  ),
  BadFile(
    "command = ['true']\nschedule.timezone = 'Europe/Berln'",
    #"2:21: error: timezone is "Europe/Berln", but this system has no such time zone; did you mean "Europe/Berlin"?"#
  ),
  BadFile(
    "command = ['true']\nschedule.timezone = 'Mars/Olympus'",
    #"2:21: error: timezone is "Mars/Olympus", but this system has no such time zone"#),
  BadFile(
    "command = ['true']\nschedule.missed_limit = 0\nschedule.dst = 'none'",
    "2:25: error: missed_limit is 0, but an integer from 1 to 100000 is expected",
    #"3:16: error: dst is "none", but one of "adjust" or "systemd" is expected"#),
  // Auth.
  BadFile(
    "command = ['true']\nauth.requires = 'verified'",
    #"2:17: error: requires is "verified", but there is no provider whose session it could mean; add provider = "NAME""#
  ),
  BadFile(
    "command = ['true']\nauth.provider = 'work'",
    #"2:17: warning: provider is set but requires is not, so the job runs whatever the session; write requires = "verified", "session" or "none""#
  ),
  BadFile(
    "command = ['true']\nauth = { provider = '../x', requires = 'verified' }",
    #"2:21: error: provider is "../x", but the name of a file in providers.d without its ending is expected"#),
  BadFile(
    "command = ['true']\nauth.deliver = 'env'",
    #"2:16: error: deliver is "env" without a name, but "env:NAME" is expected"#),
  BadFile(
    "command = ['true']\nauth.deliver = 'env:1X'",
    #"2:21: error: deliver: "1X" is not a variable name, but letters, digits and _ are expected"#),
  BadFile(
    "command = ['true']\nauth.deliver = 'flie'",
    #"2:16: error: deliver is "flie", but "file", "fd" or "env:NAME" is expected; did you mean "file"?"#),
  BadFile(
    "command = ['true']\nauth.deliver = 'env:A'\nenvironment.A = 'x'",
    "2:21: error: deliver: environment sets A as well, but only one of them can"),
  BadFile(
    "command = ['true']\nauth.max_deferred = -1\nauth.defer_for = '0'",
    "2:21: error: max_deferred is -1, but an integer from 1 to 1000000 is expected",
    #"3:18: error: defer_for is "0", but a time span from 1s to 100y is expected"#),
  // Limits and retry.
  BadFile(
    "command = ['true']\nlimits = { time_limit = '0', grace = '2h', memory_max = '512X' }",
    #"2:25: error: time_limit is "0", but a time span from 1ms to 100y is expected"#,
    #"2:38: error: grace is "2h", but a time span from 0 to 1h is expected"#,
    #"2:57: error: memory_max is "512X", but a size such as "512M" is expected"#),
  BadFile(
    "command = ['true']\nlimits.memory_max = 0",
    #"2:21: error: memory_max is 0, but a size such as "512M" is expected"#),
  BadFile(
    "command = ['true']\nlimits.memory_max = '99999999999999999999T'",
    #"2:21: error: memory_max is "99999999999999999999T", but a size such as "512M" is expected"#),
  BadFile(
    "command = ['true']\nretry = { attempts = 0, backoff = 'exp', initial = '1h', max = '1min' }",
    "2:22: error: attempts is 0, but an integer from 1 to 1000 is expected",
    #"2:35: error: backoff is "exp", but one of "constant", "linear" or "exponential" is expected"#,
    "2:64: error: max is shorter than initial, but the longest delay can't be below the first"),
]

@Test(arguments: badJobs) func `a bad job file is explained`(_ file: BadFile) {
  #expect(jobDiagnostics(file.text) == file.diagnostics)
}

/// Of other files than UTF-8 text that is TOML.
let badTexts: [BadFile] = [
  BadFile(
    "command = ",
    "1:11: error: not valid TOML while parsing key-value pair: encountered end-of-file"),
  BadFile(
    "command = ['true'\nuser = 'bob'",
    "2:1: error: not valid TOML while parsing array: expected comma or closing ']', saw 'u'"),
  BadFile(
    "a = 1\na = 2",
    "2:5: error: not valid TOML while parsing key-value pair: cannot redefine existing integer 'a'"),
  BadFile(
    "[a]\n[a]",
    "2:1: error: not valid TOML while parsing table header: cannot redefine existing table 'a'"),
  BadFile(
    "a = [1,}",
    "1:8: error: not valid TOML: a value is expected"),
  BadFile(
    "é = 1",
    "1:1: error: not valid TOML while parsing root table: expected keys, tables, whitespace or comments, saw 'é'"
  ),
  BadFile(
    "a = '\u{7}'",
    "1:6: error: not valid TOML while parsing literal string: control characters other than TAB (U+0009) are explicitly prohibited"
  ),
  BadFile(
    "\0",
    #"1:1: error: not valid TOML while parsing root table: expected keys, tables, whitespace or comments, saw '\u0000'"#
  ),
  BadFile(
    String(repeating: "a.", count: 50_000) + "a = 1",
    "1:33: error: a key has more than 16 parts, which no setting needs"),
  BadFile(
    "a = " + String(repeating: "[", count: 50_000),
    "1:21: error: not valid TOML while parsing value: exceeded maximum nested value depth of 16"),
  BadFile(
    String(repeating: "#", count: 1 << 20) + "\n",
    "1:1: error: the file is larger than 1 MiB"),
]

@Test(arguments: badTexts) func `a text that is not TOML is explained`(_ file: BadFile) {
  #expect(jobDiagnostics(file.text) == file.diagnostics)
}

@Test func `of very many mistakes a hundred are shown`() {
  let keys = (1...2000).map { "unknown_\($0) = 1" }
  let printed = jobDiagnostics((["command = ['true']"] + keys).joined(separator: "\n"))
  #expect(printed.count == 101)
  #expect(printed.last == "102:1: error: from here on there are 1900 more of these, which are not shown")
  #expect(printed.allSatisfy { !$0.hasSuffix("unknown key") })
}
