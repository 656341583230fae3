import Glibc
import LinuxPlatform
import Scheduling
import Testing

@testable import ControlTool

struct DisplayTests {
  @Test(
    arguments: [
      ("plain", 5), ("", 0), ("日本", 4), ("e\u{301}", 1), ("🙂", 2), ("…", 1), ("naïve", 5),
    ] as [(String, Int)])
  func `a text's width is what a terminal shows`(_ text: String, _ width: Int) {
    #expect(text.columns == width)
  }

  @Test(
    arguments: [
      ("harmless", "harmless"), ("a\u{1b}[31mb", "a\u{fffd}[31mb"), ("a\nb\tc", "a b c"),
      ("\u{202e}x", "\u{fffd}x"),
      ("\u{9b}2J", "\u{fffd}2J"), ("日本", "日本"), ("\r\n", "\u{fffd} "),
    ] as [(String, String)])
  func `nothing printed is obeyed by a terminal`(_ text: String, _ expected: String) {
    #expect(text.printable == expected)
  }

  @Test(
    arguments: [
      ("abcdef", 6, "abcdef"), ("abcdef", 5, "abcd…"), ("日本語", 5, "日本…"), ("日本語", 4, "日…"), ("ab", 0, ""),
      ("ab", 1, "…"),
    ] as [(String, Int, String)])
  func `a text is cut to a width`(_ text: String, _ width: Int, _ expected: String) {
    #expect(text.fitted(to: width) == expected)
    #expect(text.fitted(to: width).columns <= width)
  }

  @Test(
    arguments: [
      ("com.example.mail", 20, "com.example.mail"), ("com.example.mail", 9, "…ple.mail"), ("日本語", 5, "…本語"),
      ("日本語", 4, "…語"), ("ab", 1, "…"), ("ab", 0, ""),
    ] as [(String, Int, String)])
  func `a name is cut at its start`(_ text: String, _ width: Int, _ expected: String) {
    #expect(text.endFitted(to: width) == expected)
    #expect(text.endFitted(to: width).columns <= width)
  }

  @Test func `a table gives way where it may`() {
    var table = Table([.init("NAME", narrow: .cutEnd), .init("N", right: true), .init("END")])
    table.rows = [["a-very-long-name-indeed", "7", "x"], [.init("b"), .init("100"), .init(nil)]]
    #expect(
      table.text(for: .plain)
        == "NAME                       N  END\na-very-long-name-indeed    7  x\nb                        100  -\n"
    )
    let narrow = table.text(for: Terminal(width: 20, hasColors: false))
    #expect(narrow == "NAME          N  END\na-very-lo…    7  x\nb           100  -\n")
    // No column is cut so far that nothing can be read: the rows become lists, and nothing is cut at all.
    let tiny = table.text(for: Terminal(width: 14, hasColors: false))
    #expect(
      tiny == "a-very-long-name-indeed\n  n\n    7\n  end\n    x\nb\n  n\n    100\n")
  }

  @Test func `the last column moves below its rows before anything is cut`() {
    var table = Table([.init("NAME", narrow: .cutStart), .init("STATE"), .init("WHY", narrow: .below)])
    table.rows = [
      ["com.example.sync", "failed", .init("the machine went down under it", .bad)], ["b", "running", ""],
    ]
    #expect(
      table.text(for: .plain).hasPrefix("NAME              STATE    WHY\ncom.example.sync  failed   the"))
    #expect(
      table.text(for: Terminal(width: 30, hasColors: false))
        == "NAME              STATE\ncom.example.sync  failed\n  why\n    the machine went down\n    under it\nb                 running\n"
    )
    #expect(
      table.text(for: Terminal(width: 40, hasColors: true))
        .contains("\n  \u{1b}[2mwhy  \u{1b}[0m\u{1b}[31mthe machine went down under it\u{1b}[0m\n"))
  }

  @Test(arguments: 1...120)
  func `no line is longer than the terminal is wide, but for a word that is`(_ width: Int) {
    var table = Table([.init("JOB", narrow: .cutStart), .init("RUN"), .init("WHY", narrow: .below)])
    table.rows = [["com.example.mail-sync", "2856c64e303ce95f", "one of several words 日本語"]]
    var details = Details()
    details.add("a name", "/var/lib/nightlatch, /run/nightlatch, /etc/nightlatch and whatever else")
    let terminal = Terminal(width: width, hasColors: false)
    let text = table.text(for: terminal) + details.text(for: terminal)
    for line in text.split(separator: "\n") where String(line).columns > width {
      #expect(line.split(separator: " ").count == 1 || width < 8, "\(line)")
    }
    let letters = text.filter { !$0.isWhitespace }
    #expect(letters.contains("mail-sync") && letters.contains("oneofseveralwords日本語"))
  }

  @Test(
    arguments: [
      ("one two three", 13, ["one two three"]), ("one two three", 8, ["one two", "three"]),
      ("a bcdefgh ij", 3, ["a", "bcdefgh", "ij"]), ("日本 語", 4, ["日本", "語"]), ("", 5, [""]),
      ("as it is", nil, ["as it is"]), ("a  b", 0, ["a  b"]),
    ] as [(String, Int?, [String])])
  func `a text is broken at blanks`(_ text: String, _ width: Int?, _ lines: [String]) {
    #expect(text.wrapped(to: width) == lines)
  }

  @Test(
    arguments: [
      ("2026-12-01T01:30:00Z", "Tue 2026-12-01 02:30:00 CET"),
      ("2027-07-01T00:00:30.5Z", "Thu 2027-07-01 02:00:30.5 CEST"),
    ] as [(String, String)])
  func `a preview's time has its seconds and its zone`(_ time: String, _ expected: String) throws {
    let berlin = try #require(LocalZone.rules(named: "Europe/Berlin", in: ZoneDatabase()))
    let times = TimeDisplay(now: Samples.wall, zone: berlin)
    #expect(times.precise(try #require(WallTime(rfc3339: time))) == expected)
  }

  @Test func `colours are for terminals that want them`() {
    var table = Table([.init("A")])
    table.rows = [[.init("x", .good)]]
    #expect(
      table.text(for: Terminal(width: 80, hasColors: true)) == "\u{1b}[1mA\u{1b}[0m\n\u{1b}[32mx\u{1b}[0m\n")
    #expect(!table.text(for: .plain).contains("\u{1b}"))
    // Standard output of a test is no terminal, or NO_COLOR is heeded.
    #expect(!Terminal(descriptor: 1, environment: ["NO_COLOR": "1"]).hasColors)
    #expect(Terminal(descriptor: -1, environment: [:]) == .plain)
  }

  @Test func `a terminal tells its width and has colours unless it or its user refuses them`() throws {
    let terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY)
    defer { close(terminal) }
    // TIOCSPTLCK and TIOCGPTPEER (ioctl_tty(2)), which Swift does not see.
    var unlocked: Int32 = 0
    try #require(ioctl(terminal, 0x4004_5431, &unlocked) == 0)
    let descriptor = ioctl(terminal, 0x5441, O_RDWR | O_NOCTTY)
    defer { close(descriptor) }
    var size = winsize(ws_row: 24, ws_col: 101, ws_xpixel: 0, ws_ypixel: 0)
    try #require(ioctl(descriptor, UInt(TIOCSWINSZ), &size) == 0)
    #expect(Terminal(descriptor: descriptor, environment: [:]) == Terminal(width: 101, hasColors: true))
    for refusal in [["NO_COLOR": "1"], ["TERM": "dumb"]] {
      #expect(
        Terminal(descriptor: descriptor, environment: refusal) == Terminal(width: 101, hasColors: false))
    }
    #expect(Terminal(descriptor: descriptor, environment: ["NO_COLOR": ""]).hasColors)
    size.ws_col = 0
    try #require(ioctl(descriptor, UInt(TIOCSWINSZ), &size) == 0)
    #expect(Terminal(descriptor: descriptor, environment: ["COLUMNS": "99"]).width == 99)
    #expect(Terminal(descriptor: descriptor, environment: ["COLUMNS": "odd"]).width == 80)
  }

  @Test(
    arguments: [
      (0, "now"), (0.4, "now"), (3, "in 3s"), (-59, "59s ago"), (60, "in 1min"), (899.9, "in 15min"),
      (-3_599, "59min ago"),
      (3_600, "in 1h"), (7_500, "in 2h 5min"), (-90_000, "1d 1h ago"), (172_800, "in 2d"),
      (2_000_000, "in 3 weeks"),
      (-40_000_000, "1 year ago"), (100_000_000, "in 3 years"), (4e12, "in 126839 years"),
    ] as [(Double, String)])
  func `a time is told by its distance`(_ seconds: Double, _ expected: String) {
    let times = TimeDisplay(now: Samples.wall, zone: .utc)
    #expect(times.relative(Samples.wall + .seconds(seconds)) == expected)
  }

  @Test(
    arguments: [
      (0, "today 14:05:00"), (-51_000, "yesterday 23:55:00"), (36_000, "tomorrow 00:05:00"),
      (172_800, "Wed 2 Dec 14:05"),
      (-864_000, "Fri 20 Nov 14:05"), (172_807, "Wed 2 Dec 14:05:07"), (-20_000_000, "2026-04-13 02:31:40"),
      (50_000_000, "2028-07-01 06:58:20"),
    ] as [(Int, String)])
  func `a time is told by its day`(_ seconds: Int, _ expected: String) {
    let times = TimeDisplay(now: Samples.wall, zone: .utc)
    #expect(times.absolute(Samples.wall + .seconds(seconds)) == expected)
  }

  @Test(
    arguments: [
      (.milliseconds(0), "0ms"), (.milliseconds(999), "999ms"), (.milliseconds(1_290), "1.2s"),
      (.seconds(59), "59.0s"),
      (.seconds(60), "1min"), (.seconds(125), "2min 5s"), (.seconds(7_260), "2h 1min"),
    ] as [(Duration, String)])
  func `a duration is told to a useful digit`(_ duration: Duration, _ expected: String) {
    #expect(TimeDisplay(now: Samples.wall, zone: .utc).exact(duration) == expected)
  }
}
