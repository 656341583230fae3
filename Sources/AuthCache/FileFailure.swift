import AuthModel
import Glibc

/// Why a file could not be opened, filled or mapped.
enum FileFailure: Error {
  /// It is no regular file, or too short.
  case damaged
  /// An errno.
  case system(Int32)

  /// The failure of the call that has just failed.
  static var last: FileFailure { .system(errno) }

  var isMissing: Bool {
    switch self {
    case .damaged: false
    case .system(let code): code == ENOENT || code == ENOTDIR
    }
  }

  var code: Int32 {
    switch self {
    case .damaged: EINVAL
    case .system(let code): code
    }
  }

  var reason: NotReadyReason {
    switch self {
    case .damaged: .damagedSnapshot
    case .system: isMissing ? .noSnapshot : .unreadableSnapshot
    }
  }
}
