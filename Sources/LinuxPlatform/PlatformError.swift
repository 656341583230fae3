import Glibc

/// What went wrong between this program and the machine: what was attempted, on what, and why.
public nonisolated enum PlatformError: Error, Equatable, CustomStringConvertible {
  /// A system call failed; `attempt` completes the sentence "cannot ...".
  case system(attempt: String, errno: Int32)
  /// A run names a user that the system does not have.
  case unknownUser(String)
  /// A run names another user, and this process is not root.
  case cannotSwitchUser(to: String)
  /// No such executable, or none of that name in `searched` (a PATH).
  case commandNotFound(String, searched: String?)
  /// The file is there and its user may not execute it.
  case notExecutable(String, user: String?)
  /// A string that C or the protocol can't carry (a zero byte, an empty command).
  case unrepresentable(what: String, why: String)
  /// The process with this pid is gone, or is another one by now.
  case processGone(pid: Int32)
  /// A folder or file that someone else could have put there.
  case unsafePath(String, why: String)
  /// Another daemon works in this state folder.
  case folderInUse(String, holder: Int32?)
  /// A file is larger than anything that belongs there.
  case fileTooLarge(String, limit: Int)
  /// There is no message bus to talk to.
  case noBus(why: String)
  /// The service manager refused to start a unit, or the connection ended before its answer.
  case unitNotStarted(String, why: String)
  /// An option on the command line is wrong.
  case usage(String)
  /// The name of a time zone is not in the system's database.
  case unknownZone(String)
  /// The zone's file is there but can't be understood.
  case brokenZone(String, why: String)

  public var description: String {
    switch self {
    case .system(let attempt, let errno): "cannot \(attempt): \(Self.words(for: errno))"
    case .unknownUser(let name):
      "cannot start as user '\(name)': the system has no such user; nothing was started"
    case .cannotSwitchUser(let name):
      "cannot start as user '\(name)': only a daemon that runs as root can change users; nothing was started"
    case .commandNotFound(let name, let searched?):
      "cannot start '\(name)': no such executable in \(searched); nothing was started"
    case .commandNotFound(let name, nil):
      "cannot start '\(name)': no such file; nothing was started"
    case .notExecutable(let path, let user?):
      "cannot start '\(path)': user '\(user)' may not execute it; nothing was started"
    case .notExecutable(let path, nil):
      "cannot start '\(path)': it is not an executable file; nothing was started"
    case .unrepresentable(let what, let why): "cannot use \(what): \(why)"
    case .processGone(let pid): "cannot follow process \(pid): it has ended or its number was reused"
    case .unsafePath(let path, let why): "cannot use '\(path)': \(why)"
    case .folderInUse(let path, let holder):
      "cannot use the state folder '\(path)': another nightlatchd"
        + (holder.map { " (process \($0))" } ?? "") + " is using it; stop that one, or name another folder"
    case .fileTooLarge(let path, let limit): "cannot read '\(path)': it is larger than \(limit) bytes"
    case .noBus(let why): "cannot reach the message bus: \(why)"
    case .unitNotStarted(let name, let why): "cannot start unit '\(name)': \(why)"
    case .usage(let problem): problem
    case .unknownZone(let name): "cannot use time zone '\(name)': it is not in /usr/share/zoneinfo"
    case .brokenZone(let name, let why): "cannot use time zone '\(name)': \(why)"
    }
  }

  /// Why, without what was attempted.
  public var reason: String {
    if case .system(_, let errno) = self { Self.words(for: errno) } else { description }
  }

  /// Whether it failed because there is nothing of that name: anything else is no proof of that.
  public var isAbsence: Bool {
    if case .system(_, let errno) = self { errno == ENOENT || errno == ENOTDIR } else { false }
  }

  /// The last failed call of this thread. Call it before anything else can change `errno`.
  static func last(_ attempt: String) -> PlatformError { .system(attempt: attempt, errno: errno) }

  /// `errno` in words, as strerror(3) has them.
  static func words(for errno: Int32) -> String { String(cString: strerror(errno)) }
}
