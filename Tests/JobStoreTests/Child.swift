import Glibc

/// `JobStoreKillHelper`, which the package builds beside the test program.
struct Child {
  /// The lines it printed.
  var lines: [String]
  /// As `waitpid` gives it.
  var status: Int32

  var wasKilled: Bool { status & 0x7f == SIGKILL }

  /// Starts it, hands each line to `onLine` with its pid as it comes, and waits for its end.
  static func run(_ arguments: [String], onLine: (String, pid_t) -> Void = { _, _ in }) throws -> Child {
    var child = try start(arguments)
    child.finish(onLine: onLine)
    return Child(lines: child.lines, status: child.status)
  }

  struct Running {
    let pid: pid_t
    private let output: Int32
    var lines: [String] = []
    var status: Int32 = 0

    init(pid: pid_t, output: Int32) {
      self.pid = pid
      self.output = output
    }

    mutating func finish(onLine: (String, pid_t) -> Void = { _, _ in }) {
      var (line, byte): ([UInt8], UInt8) = ([], 0)
      while read(output, &byte, 1) == 1 {
        guard byte == UInt8(ascii: "\n") else {
          line.append(byte)
          continue
        }
        lines.append(String(decoding: line, as: UTF8.self))
        onLine(lines[lines.count - 1], pid)
        line = []
      }
      close(output)
      while waitpid(pid, &status, 0) < 0 && errno == EINTR {}
    }
  }

  static func start(_ arguments: [String]) throws -> Running {
    var ends: [Int32] = [0, 0]
    // Not a pipe: only this call closes both ends to the children of other tests at once.
    let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw Failure(step: "socketpair", code: errno) }
    defer { close(ends[1]) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
    let program = try program()
    var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var pid: pid_t = 0
    let code = posix_spawn(&pid, program, &actions, nil, &words, environ)
    guard code == 0 else { throw Failure(step: "posix_spawn \(program)", code: code) }
    return Running(pid: pid, output: ends[0])
  }

  private static func program() throws -> String {
    guard let own = realpath("/proc/self/exe", nil) else { throw Failure(step: "realpath", code: errno) }
    defer { free(own) }
    let folder = String(cString: own).split(separator: "/").dropLast()
    return "/" + (folder + ["JobStoreKillHelper"]).joined(separator: "/")
  }

  struct Failure: Error {
    var step: String
    var code: Int32
  }
}
