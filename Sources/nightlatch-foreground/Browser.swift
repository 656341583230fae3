import Glibc

/// The person's own browser: never one inside a program, which could read along (RFC 8252 section 8.12).
enum Browser {
  /// Asks the desktop to open a page; false if there is no desktop, or nothing to ask.
  static func open(_ url: String) -> Bool {
    let hasDesktop = ["WAYLAND_DISPLAY", "DISPLAY"].contains { (name: String) in
      getenv(name).map { $0.pointee != 0 } ?? false
    }
    return hasDesktop && spawn(["xdg-open", url])
  }

  /// Nobody waits for it: some openers end with the browser.
  private static func spawn(_ command: [String]) -> Bool {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
      posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // This program holds signals back and ignores SIGPIPE; a browser should do neither.
    var none = sigset_t()
    var pipe = sigset_t()
    sigemptyset(&none)
    sigemptyset(&pipe)
    sigaddset(&pipe, SIGPIPE)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &pipe)
    // Ctrl-C in the terminal is not meant for it.
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))
    var arguments = command.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var pid: pid_t = 0
    return posix_spawnp(&pid, command[0], &actions, &attributes, &arguments, Glibc.environ) == 0
  }
}
