import CLinux
import Glibc

/// What happens in the child between fork and exec, for posix_spawn(3).
nonisolated struct SpawnActions: ~Copyable {
  private var actions = posix_spawn_file_actions_t()
  private var attributes = posix_spawnattr_t()
  /// Copies with numbers above every target, so that no dup2 overwrites a later one's source.
  private var copies: [Int32] = []

  /// The child leads a session of its own, blocks and ignores no signal (a Dispatch thread's mask
  /// and the ignored SIGPIPE would be inherited), and keeps no file but those mapped here.
  init() {
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    let flags = Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF)
    posix_spawnattr_setflags(&attributes, Int16(truncatingIfNeeded: flags) | nl_spawn_new_session)
  }

  mutating func changeFolder(to path: String) { nl_spawn_add_change_folder(&actions, path) }

  mutating func open(_ path: String, as number: Int32, flags: Int32) {
    posix_spawn_file_actions_addopen(&actions, number, path, flags, 0)
  }

  /// Maps each of our descriptors to its number in the child and closes everything else above 2.
  mutating func map(_ files: [(fd: Int32, number: Int32)]) throws(PlatformError) {
    let last = max(2, files.map(\.number).max() ?? 2)
    for file in files {
      let copy = fcntl(file.fd, F_DUPFD_CLOEXEC, last + 1)
      guard copy >= 0 else { throw .last("prepare a run's open files") }
      copies.append(copy)
      posix_spawn_file_actions_adddup2(&actions, copy, file.number)
    }
    let mapped = Set(files.map(\.number))
    for number in 3..<(last + 1) where !mapped.contains(number) {
      posix_spawn_file_actions_addclose(&actions, number)
    }
    nl_spawn_add_close_from(&actions, last + 1)
  }

  /// Starts `path`; returns the child's pid, or throws the error of whatever failed up to exec.
  mutating func spawn(
    _ path: String, arguments: borrowing CStringArray, environment: borrowing CStringArray
  ) throws(PlatformError) -> Int32 {
    var pid: pid_t = 0
    var outcome = EINVAL
    environment.with { environment in
      arguments.with { arguments in
        outcome = posix_spawn(&pid, path, &actions, &attributes, arguments, environment)
      }
    }
    guard outcome == 0 else { throw .system(attempt: "start '\(path)'", errno: outcome) }
    return pid
  }

  deinit {
    for copy in copies { close(copy) }
    var (actions, attributes) = (actions, attributes)
    posix_spawn_file_actions_destroy(&actions)
    posix_spawnattr_destroy(&attributes)
  }
}
