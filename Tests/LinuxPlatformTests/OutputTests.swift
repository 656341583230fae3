import Glibc
import Testing

@testable import LinuxPlatform

@Suite(.timeLimit(.minutes(1)))
struct OutputTests {
  @Test(arguments: [
    ("", [String]()),
    ("a", ["a"]),
    ("a\n", ["a"]),
    ("a\nb", ["a", "b"]),
    ("\n\n", ["", ""]),
    ("12345678", ["12345678"]),
    ("12345678\n", ["12345678"]),
    ("123456789\n", ["12345678", "9"]),
    ("12345678\n\nx", ["12345678", "", "x"]),
    ("1234567812345678\nx\n", ["12345678", "12345678", "x"]),
  ])
  func `output is cut into lines of bounded length`(text: String, lines: [String]) {
    // In one piece, and byte by byte.
    for size in [1, 3, 64] {
      var splitter = LineSplitter(limit: 8)
      var found: [String] = []
      let bytes = Array(text.utf8)
      for start in stride(from: 0, to: bytes.count, by: size) {
        bytes[start..<min(start + size, bytes.count)].withUnsafeBytes { piece in
          var piece = piece[...]
          while !piece.isEmpty {
            if let line = splitter.next(in: &piece) { found.append(String(decoding: line, as: UTF8.self)) }
          }
        }
      }
      if let line = splitter.last() { found.append(String(decoding: line, as: UTF8.self)) }
      #expect(found == lines, "in pieces of \(size)")
    }
  }

  @Test func `two megabytes without a newline come in bounded pieces`() async throws {
    let result = try await JobZoo.run("head -c 2000000 /dev/zero | tr '\\0' x")
    #expect(result.exit == .exited(code: 0))
    #expect(result.lines.allSatisfy { $0.count <= OutputReader.longestLine })
    #expect(result.lines.reduce(0) { $0 + $1.count } == 2_000_000)
    #expect(result.total == 2_000_000)
  }

  @Test func `random bytes pass through unchanged`() async throws {
    let folder = try TemporaryFolder()
    var bytes = [UInt8](repeating: 0, count: 100_000)
    for index in bytes.indices {
      bytes[index] = UInt8.random(in: 0...255) == 10 ? 11 : UInt8.random(in: 11...255)
    }
    let path = try folder.file("random")
    let fd = open(path, O_WRONLY)
    #expect(write(fd, bytes, bytes.count) == bytes.count)
    close(fd)
    let result = try await JobZoo.run("exec cat \(path)")
    #expect(Array(result.lines.joined()) == bytes)
  }

  @Test func `a flood leaves the loop its turns`() async throws {
    let child = try ChildProcess.spawn(LaunchSpec(command: ["/usr/bin/yes"]))
    let (began, ended) = (Events<Void>(), Events<Void>())
    let reader = OutputReader(
      owning: try #require(child.output), onLine: { _ in if began.all.isEmpty { began.post(()) } },
      onEnd: { ended.post(()) })
    close(try #require(child.errors))
    await began.next()
    for _ in 0..<20 {
      let before = reader.total
      await withCheckedContinuation { turn in Later.run { turn.resume() } }
      // Only what a few events may bring happened in between.
      #expect(reader.total - before <= UInt64(8 * OutputReader.portion))
    }
    child.signal(SIGTERM)
    #expect(await JobZoo.waitForExit(child) == .signalled(SIGTERM))
    await ended.next()
  }

  @Test func `closing takes what is in the pipe, whoever holds its other end`() async throws {
    let pipes = try OutputPipes()
    let ended = Events<Void>()
    var lines: [String] = []
    let reader = OutputReader(
      owning: pipes.output.reading, onLine: { lines.append(String(decoding: $0, as: UTF8.self)) },
      onEnd: { ended.post(()) })
    #expect(write(pipes.output.writing, "one\ntwo", 7) == 7)
    reader.close()
    #expect(lines == ["one", "two"])
    #expect(!reader.isOpen)
    reader.close()
    #expect(ended.all.count == 1)
    pipes.closeWriting()
    close(pipes.errors.reading)
  }
}
