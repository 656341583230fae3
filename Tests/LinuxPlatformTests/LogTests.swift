import Glibc
import Testing

@testable import LinuxPlatform

@Suite(.timeLimit(.minutes(1)))
struct LogTests {
  @Test func `an entry is a list of assignments for the journal, whatever bytes it holds`() {
    let entry = LogEntry(
      bytes: [0x61, 0x0a, 0xff, 0x00], priority: .warning, messageID: "0123456789abcdef0123456789abcdef",
      fields: [("NIGHTLATCH_JOB", "a\nb"), ("lower", "x"), ("_TRUSTED", "x"), ("A=B", "x"), ("", "x")])
    let found = entry.assignments(identifier: "nightlatchd")
    #expect(
      found == [
        Array("MESSAGE=a\n".utf8) + [0xff, 0x00], Array("PRIORITY=4".utf8),
        Array("SYSLOG_IDENTIFIER=nightlatchd".utf8),
        Array("MESSAGE_ID=0123456789abcdef0123456789abcdef".utf8), Array("NIGHTLATCH_JOB=a\nb".utf8),
      ])
  }

  @Test(arguments: [
    ("A", true), ("A1_B", true), ("1A", false), ("_A", false), ("a", false), ("A B", false), ("Ä", false),
    (String(repeating: "A", count: 64), true), (String(repeating: "A", count: 65), false),
  ])
  func `journald's rules for names are kept`(name: String, isValid: Bool) {
    #expect(LogEntry.isValidName(name) == isValid)
  }

  @Test func `a huge value is cut`() {
    let entry = LogEntry(bytes: [UInt8](repeating: 120, count: 1 << 20))
    #expect(entry.assignments(identifier: "x").allSatisfy { $0.count <= LogEntry.longestValue + 8 })
  }

  @Test(arguments: [
    (LogEntry("hello"), "hello\n"),
    (LogEntry("hello", fields: [("NIGHTLATCH_JOB", "com.example.a")]), "com.example.a: hello\n"),
    (LogEntry("a\u{1b}[2J\nb\tc\u{9b}"), "a.[2J.b\tc.\n"),
    (LogEntry(bytes: [0x61, 0xff]), "a\u{fffd}\n"),
  ])
  func `a terminal gets one harmless line`(entry: LogEntry, line: String) {
    #expect(entry.line(color: false) == line)
  }

  @Test func `colour is by priority`() {
    #expect(LogEntry("x", priority: .error).line(color: true) == "\u{1b}[31mx\u{1b}[0m\n")
    #expect(LogEntry("x", priority: .info).line(color: true) == "x\n")
  }

  @Test func `the terminal is written to`() throws {
    let pipes = try OutputPipes()
    LogSink.terminal(fd: pipes.output.writing, color: false).write(LogEntry("hello"))
    var buffer = [UInt8](repeating: 0, count: 64)
    let count = read(pipes.output.reading, &buffer, buffer.count)
    #expect(String(decoding: buffer.prefix(max(count, 0)), as: UTF8.self) == "hello\n")
    pipes.closeReading()
    pipes.closeWriting()
  }
}
