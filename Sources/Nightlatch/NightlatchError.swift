import Glibc

/// Why a client could not be made, or could not ask the daemon.
public enum NightlatchError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The provider's name can't name a file.
  case invalidProviderName(String)
  /// `/proc/sys/kernel/random/boot_id` can't be read, so nothing can be known to be verified in this boot.
  case unknownBoot
  /// User mode was asked for, but `XDG_RUNTIME_DIR` is not set.
  case noUserRuntimeFolder
  /// A run asked for a refresh.
  case insideRun
  /// The daemon's control socket can't be connected to; `code` is an errno.
  case unreachable(socket: String, code: Int32)
  /// The daemon closed the connection before it answered.
  case hungUp(socket: String)
  /// The daemon has no token to give; the state's name, as `nightlatch auth --json` has it.
  case noToken(authState: String, reason: String)
  /// Changes of the auth cache can't be watched; `code` is an errno.
  case unwatchable(folder: String, code: Int32)
  /// The daemon answered with an error.
  case refused(reason: String)
  /// The task that waited for the answer was cancelled.
  case cancelled

  public var description: String {
    switch self {
    case .invalidProviderName(let name):
      "can't look up the provider \"\(name)\": a name is not empty, holds no slash and doesn't begin with a dot; use the name of its file in providers.d"
    case .unknownBoot:
      "can't tell which boot this is: /proc/sys/kernel/random/boot_id is unreadable; mount /proc in this process's namespace"
    case .noUserRuntimeFolder:
      "can't find the user's runtime folder: XDG_RUNTIME_DIR is not set; name the folder, or run within a login session"
    case .insideRun:
      "can't refresh the session inside a run (NIGHTLATCH_RUN is set): background work never refreshes; read the auth state without a refresh, and exit with 75 to be run again later"
    case .unreachable(let socket, let code):
      "can't ask nightlatchd at \(socket): \(String(cString: strerror(code))); nothing was changed, the cached auth state stays readable"
    case .hungUp(let socket):
      "can't tell what became of the request: nightlatchd closed the connection at \(socket); the cached auth state stays readable"
    case .noToken(let state, let reason):
      "can't get an access token (the session is \(state)): \(reason)"
    case .unwatchable(let folder, let code):
      "can't watch the auth cache in \(folder): \(String(cString: strerror(code))); it can still be read"
    case .refused(let reason):
      "can't have it done: nightlatchd answered: \(reason)"
    case .cancelled:
      "can't tell what became of the request: the task that waited for it was cancelled; what was begun goes on"
    }
  }
}
