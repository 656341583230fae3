import Glibc

@testable import LinuxPlatform

/// Starts a child and waits for its end and the end of its output.
struct ZooResult {
  var exit: ProcessExit
  var output: [UInt8]
  var lines: [[UInt8]]
  var total: UInt64

  var text: String { String(decoding: output, as: UTF8.self) }
}

enum JobZoo {
  static let environment = [(name: "PATH", value: "/usr/bin:/bin")]

  static func shell(_ script: String) -> LaunchSpec {
    LaunchSpec(command: ["/bin/sh", "-c", script], environment: environment)
  }

  static func run(_ script: String) async throws -> ZooResult { try await run(shell(script)) }

  static func run(_ spec: LaunchSpec) async throws -> ZooResult {
    let child = try ChildProcess.spawn(spec)
    let reader = try Reader(child)
    let exit = await waitForExit(child)
    await reader.ended.next()
    let lines = reader.lines
    return ZooResult(
      exit: exit, output: Array(lines.joined(separator: [10])), lines: lines, total: reader.total)
  }

  static func waitForExit(_ child: ChildProcess) async -> ProcessExit {
    if let exit = child.exit { return exit }
    return await withCheckedContinuation { continuation in
      child.onExit = { continuation.resume(returning: $0) }
    }
  }

  /// Reads standard output and error of a child into one list of lines.
  final class Reader {
    private(set) var lines: [[UInt8]] = []
    let line = Events<String>()
    let ended = Events<Void>()
    private(set) var output: OutputReader?
    private var errors: OutputReader?
    private var open = 2

    init(_ child: ChildProcess) throws {
      guard let output = child.output, let errors = child.errors else { return }
      self.output = reader(output)
      self.errors = reader(errors)
    }

    var total: UInt64 { (output?.total ?? 0) + (errors?.total ?? 0) }

    func close() {
      output?.close()
      errors?.close()
    }

    private func reader(_ fd: Int32) -> OutputReader {
      OutputReader(
        owning: fd,
        onLine: { [weak self] line in
          self?.lines.append(line)
          self?.line.post(String(decoding: line, as: UTF8.self))
        },
        onEnd: { [weak self] in self?.oneEnded() })
    }

    private func oneEnded() {
      open -= 1
      if open == 0 { ended.post(()) }
    }
  }
}
