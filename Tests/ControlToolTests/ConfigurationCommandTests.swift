import Scheduling
import Testing

@testable import ControlTool

struct ConfigurationCommandTests {
  let stage = Stage()
  private let job = "command = [\"/bin/true\"]\n[schedule]\ncalendar = \"*:0/5\"\n"
  private let provider =
    "kind = \"oauth2\"\nclient_id = \"x\"\n[endpoints]\ntoken = \"https://id.example/token\"\n"

  @Test func `a good configuration is said to be good`() throws {
    try stage.folder.write(job, to: "config/jobs.d/com.example.a.toml")
    #expect(stage.run("check") == 0)
    #expect(stage.output == "1 good job, 0 good providers.\n")
  }

  @Test func `every problem of every file is named`() throws {
    try stage.folder.write(job, to: "config/jobs.d/com.example.a.toml")
    try stage.folder.write("comand = [\"/bin/true\"]\n", to: "config/jobs.d/com.example.b.toml")
    try stage.folder.write("kind = \"oidcc\"\n", to: "config/providers.d/work.toml")
    #expect(stage.run("check") == 1)
    #expect(stage.output.contains("/config/jobs.d/com.example.b.toml:1:1: error: "))
    #expect(stage.output.contains("/config/providers.d/work.toml:1:"))
    #expect(stage.output.contains("1 good job, 0 good providers, "))
  }

  @Test func `only the files that were asked for are judged`() throws {
    try stage.folder.write("comand = 1\n", to: "config/jobs.d/com.example.b.toml")
    try stage.folder.write(provider, to: "config/providers.d/work.toml")
    let file = "draft/com.example.c.toml"
    try stage.folder.write(job + "[auth]\nprovider = \"work\"\nrequires = \"verified\"\n", to: file)
    #expect(stage.run("check", "\(stage.folder.path)/\(file)") == 0)
    #expect(stage.output == "1 good job, 0 good providers.\n")
  }

  @Test func `a file that is not there is an error`() {
    #expect(stage.run("check", "/nowhere/com.example.x.toml", "--json") == 1)
    #expect(stage.output.contains(#""severity":"error""#))
    #expect(stage.output.contains("/nowhere/com.example.x.toml"))
  }

  @Test func `expressions are previewed as JSON`() {
    let arguments = ["--json", "--base-time", "2024-03-09T12:00:00Z", "--timezone", "America/New_York"]
    var tool = Tool(stage.surroundings)
    #expect(tool.run(["calendar", "02:30", "--iterations", "2"] + arguments) == 0)
    let gaps = [("2024-03-10", "07"), ("2025-03-09", "07")].map { date, hour in
      #"{"due":"\#(date)T02:30:00","from":"\#(date)T02:00:00","kind":"gap","#
        + #""message":"02:30 does not exist on \#(date) in America/New_York; it runs at 03:00 (dst = adjust)","#
        + #""time":"\#(date)T\#(hour):00:00Z","to":"\#(date)T03:00:00","zone":"America/New_York"}"#
    }
    let expected =
      #"{"anomalies":[\#(gaps.joined(separator: ","))],"canonical":"*-*-* 02:30:00","#
      + #""elapses":["2024-03-10T07:00:00Z","2024-03-11T06:30:00Z"],"expression":"02:30"}"#
    #expect(stage.output == expected + "\n")
  }

  @Test(arguments: [
    (["12:00", "--timezone", "Asia/Tokyo"], "Tue 2026-12-01 12:00:00 JST"),
    (["12:00 Asia/Tokyo", "--timezone", "Europe/Berlin"], "Tue 2026-12-01 12:00:00 JST"),
    (["--cron", "0 12 * * *", "--timezone", "Europe/Berlin"], "Tue 2026-12-01 12:00:00 CET"),
  ])
  func `a due is told as a clock in the schedule's zone shows it`(arguments: [String], due: String) {
    var tool = Tool(stage.surroundings)
    #expect(tool.run(["calendar", "--base-time", "2026-12-01T00:00:00Z"] + arguments) == 0)
    #expect(stage.output.contains(due))
  }

  @Test func `an hour that is not touched by a clock change is not named`() {
    let arguments = ["01:30", "05:00", "--timezone", "Europe/Berlin", "--base-time", "2026-11-30T00:00:00Z"]
    var tool = Tool(stage.surroundings)
    #expect(tool.run(["calendar"] + arguments) == 0)
    #expect(!stage.output.contains("beware"))
  }

  /// What an expression meets next, and whether a job's author is told.
  nonisolated static let anomalies:
    [(text: String, base: String, dst: String, notes: [String], areSteady: Bool)] = [
      (
        "02:30 Europe/Berlin", "2026-11-30", "adjust",
        [
          "02:30 does not exist on 2027-03-28 in Europe/Berlin; it runs at 03:00 (dst = adjust)",
          "02:30 comes twice on 2027-10-31 in Europe/Berlin; it runs the first time only (dst = adjust)",
        ], false
      ),
      (
        "02:30 Europe/Berlin", "2026-11-30", "systemd",
        [
          "02:30 does not exist on 2027-03-28 in Europe/Berlin; it is skipped, and the next run is at 2027-03-29 02:30 (dst = systemd)",
          "02:30 comes twice on 2027-10-31 in Europe/Berlin; it runs the first time only (dst = systemd)",
        ], false
      ),
      (
        "*:0/15 Europe/Berlin", "2026-11-30", "adjust",
        [
          "what is due from 02:00 to 03:00 does not exist on 2027-03-28 in Europe/Berlin; it is skipped, and the next run is at 03:00 (dst = adjust)",
          "what is due from 02:00 to 03:00 comes twice on 2027-10-31 in Europe/Berlin; it runs both times (dst = adjust)",
        ], true
      ),
      (
        "daily Africa/Cairo", "2027-01-01", "adjust",
        [
          "00:00 does not exist on 2027-04-30 in Africa/Cairo, a day without a midnight; it runs at 01:00 (dst = adjust)",
          "00:00 does not exist on 2028-04-28 in Africa/Cairo, a day without a midnight; it runs at 01:00 (dst = adjust)",
        ], false
      ),
      (
        "2011-12-30 09:30 Pacific/Apia", "2011-12-01", "adjust",
        [
          "09:30 does not exist on 2011-12-30 in Pacific/Apia, a day without a midnight; it runs at 2011-12-31 00:00 (dst = adjust)"
        ], false
      ),
      (
        "*-12-30 09:30 Pacific/Apia", "2011-12-01", "systemd",
        [
          "09:30 does not exist on 2011-12-30 in Pacific/Apia, a day without a midnight; it is skipped, and the next run is at 2012-12-30 09:30 (dst = systemd)"
        ], false
      ),
      (
        "02:15:30 Australia/Lord_Howe", "2026-09-01", "adjust",
        [
          "02:15:30 does not exist on 2026-10-04 in Australia/Lord_Howe; it runs at 02:30 (dst = adjust)",
          "02:15:30 does not exist on 2027-10-03 in Australia/Lord_Howe; it runs at 02:30 (dst = adjust)",
        ], false
      ),
    ]

  @Test(arguments: anomalies.indices)
  func `a clock change that touches an expression is named, with what happens then`(index: Int) throws {
    let (text, base, dst, notes, areSteady) = Self.anomalies[index]
    #expect(stage.run("calendar", text, "--dst", dst, "--base-time", "\(base)T00:00:00Z") == 0)
    let found = stage.output.split(separator: "\n").compactMap { line in
      line.firstRange(of: "beware").map { line[$0.upperBound...].drop { $0 == " " } }
    }.map { String($0) }
    #expect(found == notes)

    let other = ConfigurationCommandTests()
    other.stage.now.wall = try #require(WallTime(rfc3339: "\(base)T00:00:00Z"))
    let job = "shell = 'true'\n[schedule]\ncalendar = '\(text)'\ndst = '\(dst)'\n"
    try other.stage.folder.write(job, to: "config/jobs.d/com.example.a.toml")
    #expect(other.stage.run("check") == 0)
    let told = other.stage.output.split(separator: "\n").dropLast().map { String($0) }
    #expect(told == (areSteady ? [] : notes.map { "com.example.a: note: \($0)" }))
  }

  @Test func `notes of a check are in its JSON, and no mistakes`() throws {
    try stage.folder.write(
      "shell = 'true'\n[schedule]\ncron = '30 2 * * *'\ntimezone = 'Europe/Berlin'\n",
      to: "config/jobs.d/com.example.a.toml")
    #expect(stage.run("check", "--json") == 0)
    #expect(
      stage.output.contains(#""diagnostics":[],"jobs":1,"notes":[{"anomaly":{"due":"2027-03-28T02:30:00","#))
    #expect(stage.output.contains(#""kind":"gap""#) && stage.output.contains(#""job":"com.example.a""#))
  }

  @Test(arguments: [
    ("@0", "1970-01-01T00:01:00Z"), ("@-30", "1970-01-01T00:00:00Z"), ("@59.999999", "1970-01-01T00:01:00Z"),
    ("@60.5", "1970-01-01T00:02:00Z"), ("@-0.5", "1970-01-01T00:00:00Z"),
    ("2024-03-10T02:00:00.25-05:00", "2024-03-10T07:01:00Z"),
    ("2024-03-10t07:00:59.9z", "2024-03-10T07:01:00Z"),
  ])
  func `the base time may have a fraction, an offset or a sign`(base: String, next: String) {
    #expect(stage.run("calendar", "*:*", "--json", "--base-time", base) == 0)
    #expect(stage.output.contains(#""elapses":["\#(next)"]"#))
  }

  @Test(arguments: [
    "@", "@-", "@1.", "@.5", "@1e3", "@+1", "@1.2.3", "@99999999999999999999", "now", "2024-03-10",
  ])
  func `what is no base time is refused`(base: String) {
    #expect(stage.run("calendar", "*:*", "--base-time", base) == 64)
    #expect(stage.complaints.contains("--base-time takes"))
  }

  @Test(arguments: ["@9223372036854775807", "@-9223372036854775807", "9999-12-31T23:59:59Z"])
  func `the ends of time are no trap`(base: String) {
    #expect(stage.run("calendar", "daily", "--json", "--iterations", "3", "--base-time", base) == 0)
    #expect(stage.run("calendar", "--every", "1d", "--json", "--iterations", "3", "--base-time", base) == 0)
  }

  @Test func `a zone or a policy that does not exist is refused`() {
    #expect(stage.run("calendar", "daily", "--timezone", "Europe/Nowhere") == 64)
    #expect(stage.complaints.contains("there is no time zone \"Europe/Nowhere\""))
    #expect(stage.run("calendar", "daily", "--timezone", "Europe/Berlni") == 64)
    #expect(stage.complaints.contains("did you mean Europe/Berlin?"))
    #expect(stage.run("calendar", "daily", "--dst", "vixie") == 64)
    #expect(stage.complaints.contains("--dst takes adjust or systemd"))
  }

  @Test func `thousands of lines are answered one by one`() {
    var answered = 0
    var surroundings = stage.surroundings
    var asked = 0
    surroundings.readLine = {
      // Whoever compares expressions in one process may wait for each answer.
      #expect(answered == asked)
      guard asked < 5000 else { return nil }
      asked += 1
      return asked % 100 == 0 ? "nonsense" : "*:\(asked % 60)"
    }
    surroundings.write = { _ in answered += 1 }
    var tool = Tool(surroundings)
    #expect(tool.run(["calendar", "-", "--json"]) == 1)
    #expect(answered == 5000)
  }

  @Test func `expressions are read from standard input and bad ones do not stop the others`() {
    stage.input = ["*:0", "nonsense", "2020-01-01"]
    #expect(stage.run("calendar", "-", "--json", "--base-time", "@0") == 1)
    let lines = stage.output.split(separator: "\n")
    #expect(lines.count == 3)
    #expect(lines[0].contains(#""elapses":["1970-01-01T01:00:00Z"]"#))
    #expect(lines[1].contains(#""column":1"#) && lines[1].contains(#""error":"#))
    #expect(lines[2].contains(#""elapses":["2020-01-01T00:00:00Z"]"#))
  }

  @Test func `an expression that is over elapses never`() {
    #expect(stage.run("calendar", "2020-01-01") == 0)
    #expect(stage.output.contains("never"))
    #expect(stage.run("calendar", "--every", "0", "--json") == 0)
    #expect(stage.output.contains(#""elapses":[]"#))
  }

  @Test func `intervals and cron have previews too`() {
    #expect(
      stage.run("calendar", "--every", "90min", "--base-time", "@0", "--iterations", "2", "--json") == 0)
    #expect(
      stage.output.contains(
        #""canonical":"1h 30min","elapses":["1970-01-01T01:30:00Z","1970-01-01T03:00:00Z"]"#))
    #expect(stage.run("calendar", "--cron", "0 2 * * *", "--base-time", "@0", "--json") == 0)
    #expect(stage.output.contains(#""elapses":["1970-01-01T02:00:00Z"]"#))
  }
}
