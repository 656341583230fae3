import CLinux
import Glibc
import Scheduling

/// A helper in a process group of its own, read until its end. Blocking.
final class CommandProcess {
  static let outputLimit = 1 << 20
  static let complaintLimit = 64 << 10
  /// How long its pipes are read after it has ended, whoever still holds them.
  static let drainLimit = Duration.milliseconds(500)
  /// How long a killed program may take to be gone.
  static let deathLimit = Duration.seconds(5)

  enum Ending: Hashable {
    case exited(Int)
    case killed(Int32)
    /// By us, after its time.
    case late
    /// Its time is over, and it can't be killed.
    case unkillable
    /// By us, because it printed more than ``CommandProcess/outputLimit``.
    case loud
  }

  struct Run {
    var ending: Ending
    var output = Secret(capacity: 4096)
    /// Its standard error; what is beyond ``CommandProcess/complaintLimit`` is dropped.
    var complaint = Secret()
  }

  private let pid: pid_t
  private var output: Int32
  private var complaint: Int32
  private var run = Run(ending: .late)
  private var isLoud = false

  init(_ command: [String], environment: [String]) throws(AgentError) {
    var pipes: [[Int32]] = [[-1, -1], [-1, -1]]
    for index in pipes.indices {
      guard nl_pipe(&pipes[index]) == 0 else {
        throw .system(action: "make a pipe for", path: command.first ?? "", code: errno)
      }
    }
    defer { for pipe in pipes { close(pipe[1]) } }
    let program = command.first ?? ""
    var pid: pid_t = 0
    let code = Self.spawn(&pid, command, environment, output: pipes[0][1], complaint: pipes[1][1])
    (self.pid, output, complaint) = (pid, pipes[0][0], pipes[1][0])
    guard code == 0 else {
      throw .unusable(what: HTTPClient.printable(program), reason: String(cString: strerror(code)))
    }
  }

  deinit {
    close(output)
    close(complaint)
  }

  private static func spawn(
    _ pid: inout pid_t, _ command: [String], _ environment: [String], output: Int32, complaint: Int32
  ) -> Int32 {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, output, 1)
    posix_spawn_file_actions_adddup2(&actions, complaint, 2)
    nl_spawn_add_close_from(&actions, 3)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // We hold signals back and ignore SIGPIPE; it must not.
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))
    var arguments = command.map { strdup($0) } + [nil]
    var variables = environment.map { strdup($0) } + [nil]
    defer { for text in arguments + variables { free(text) } }
    return posix_spawnp(&pid, command.first ?? "", &actions, &attributes, &arguments, &variables)
  }

  /// Reads and waits; whatever is left of its process group is killed in the end.
  func finish(within limit: Duration) -> Run {
    let deadline = SystemClock.boot + limit
    while SystemClock.boot < deadline, !isLoud {
      readSome()
      guard let ending = reap() else { continue }
      run.ending = ending
      drain()
      kill(-pid, SIGKILL)
      if isLoud { run.ending = .loud }
      return run
    }
    // It may have left its group, or be another user's by now (sudo).
    kill(-pid, SIGKILL)
    kill(pid, SIGKILL)
    let isGone = waitUntilGone()
    run.ending = !isGone ? .unkillable : isLoud ? .loud : .late
    return run
  }

  /// What it wrote last may still be in the pipes.
  private func drain() {
    let deadline = SystemClock.boot + Self.drainLimit
    while !isDrained, !isLoud, SystemClock.boot < deadline { readSome() }
  }

  private var isDrained: Bool { output < 0 && complaint < 0 }

  /// Short steps: a suspend must not stretch the limit, and poll's clock stops in one.
  private func readSome() {
    var polled = [
      pollfd(fd: output, events: Int16(POLLIN), revents: 0),
      pollfd(fd: complaint, events: Int16(POLLIN), revents: 0),
    ]
    guard poll(&polled, 2, 20) > 0 else { return }
    if polled[0].revents != 0 {
      take(from: &output, into: run.output, limit: Self.outputLimit) { isLoud = true }
    }
    if polled[1].revents != 0 { take(from: &complaint, into: run.complaint, limit: Self.complaintLimit) {} }
  }

  private func take(from descriptor: inout Int32, into secret: Secret, limit: Int, overflow: () -> Void) {
    var buffer = [UInt8](repeating: 0, count: 16 << 10)
    defer { File.wipe(&buffer) }
    let count = read(descriptor, &buffer, buffer.count)
    if count < 0 && errno == EINTR { return }
    guard count > 0 else {
      close(descriptor)
      descriptor = -1
      return
    }
    let room = min(count, limit - secret.count)
    buffer.withUnsafeBytes { secret.append(UnsafeRawBufferPointer(rebasing: $0.prefix(room))) }
    if room < count { overflow() }
  }

  /// Nil while it runs.
  private func reap() -> Ending? {
    var status: Int32 = 0
    return waitpid(pid, &status, WNOHANG) == pid ? Self.ending(status) : nil
  }

  /// Whoever can't be killed is not waited for: it would hold the session's lock.
  private func waitUntilGone() -> Bool {
    let deadline = SystemClock.boot + Self.deathLimit
    while reap() == nil {
      guard SystemClock.boot < deadline else { return false }
      poll(nil, 0, 20)
    }
    return true
  }

  private static func ending(_ status: Int32) -> Ending {
    let signal = status & 0x7f
    return signal == 0 ? .exited(Int((status >> 8) & 0xff)) : .killed(signal)
  }
}
