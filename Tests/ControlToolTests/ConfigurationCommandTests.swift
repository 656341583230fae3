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
    let expected =
      #"{"anomalies":[{"from":"2024-03-10T02:00:00","kind":"gap","time":"2024-03-10T07:00:00Z","to":"2024-03-10T03:00:00","zone":"America/New_York"},{"from":"2025-03-09T02:00:00","kind":"gap","time":"2025-03-09T07:00:00Z","to":"2025-03-09T03:00:00","zone":"America/New_York"}],"canonical":"*-*-* 02:30:00","elapses":["2024-03-10T07:00:00Z","2024-03-11T06:30:00Z"],"expression":"02:30"}"#
    #expect(stage.output == expected + "\n")
  }

  @Test func `an hour that comes twice is named, one that is not touched is not`() {
    #expect(
      stage.run(
        "calendar", "01:30", "05:00", "--timezone", "Europe/Berlin", "--base-time", "2026-11-30T00:00:00Z")
        == 0)
    #expect(!stage.output.contains("beware"))
    #expect(stage.run("calendar", "02:30 Europe/Berlin", "--base-time", "2026-11-30T00:00:00Z") == 0)
    #expect(
      stage.output.contains("2027-03-28 02:00:00 to 2027-03-28 03:00:00 does not exist in Europe/Berlin"))
    #expect(stage.output.contains("2027-10-31 02:00:00 to 2027-10-31 03:00:00 comes twice in Europe/Berlin"))
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
