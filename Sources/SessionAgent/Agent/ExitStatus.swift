/// How `nightlatch-foreground` ends: sysexits.h, as far as it has a name for it.
public enum ExitStatus: Int32, Sendable, CaseIterable {
  case success = 0
  /// `doctor` found something that does not work.
  case failure = 1
  /// EX_USAGE
  case usage = 64
  /// EX_SOFTWARE
  case internalError = 70
  /// EX_TEMPFAIL: transient, or of unknown fate.
  case tryLater = 75
  /// EX_NOPERM: a person has to log in.
  case loginNeeded = 77
  /// EX_CONFIG
  case configuration = 78
}
