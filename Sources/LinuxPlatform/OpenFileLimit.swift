import CLinux

/// How many files this process may have open (RLIMIT_NOFILE, getrlimit(2)).
///
/// The usual soft limit of 1024 protects programs that use select(2), which this one does not: it needs three
/// descriptors a run. What it starts may use select(2), and gets the limit that this process was given.
public enum OpenFileLimit {
  /// The soft limit before it was raised; nil: it was not.
  private(set) static var given: UInt64?

  /// Raises the soft limit to the hard one. Where that is forbidden, fewer runs go at once.
  public static func raise() {
    guard let (soft, hard) = current, soft < hard, nl_set_file_limit(hard, hard) == 0 else { return }
    given = soft
  }

  /// Does `body` under the soft limit that this process was given: a child inherits what holds when it is
  /// made. Files that are open stay open.
  static func asGiven<Failure: Error>(_ body: () throws(Failure) -> Int32) throws(Failure) -> Int32 {
    guard let given, let (raised, hard) = current, nl_set_file_limit(given, hard) == 0 else {
      return try body()
    }
    defer { _ = nl_set_file_limit(raised, hard) }
    return try body()
  }

  static var current: (soft: UInt64, hard: UInt64)? {
    var (soft, hard) = (UInt64(0), UInt64(0))
    return nl_get_file_limit(&soft, &hard) == 0 ? (soft, hard) : nil
  }
}
