import Glibc

/// Points at which a test may kill the agent, to prove what survives.
///
/// Debug builds honour `NIGHTLATCH_FAILPOINT=NAME`; a release build has no trace of them.
enum Failpoint: String, CaseIterable {
  case beforeSpendRecord = "before-spend-record"
  case afterSpendRecord = "after-spend-record"
  /// Between the server's answer and our own write: the window in which a rotation can be lost.
  case afterAnswer = "after-answer"
  case afterStore = "after-store"
  case afterSettled = "after-settled"
  case afterTokenFile = "after-token-file"

  static func reach(_ point: Failpoint) {
    #if DEBUG
      guard let name = getenv("NIGHTLATCH_FAILPOINT"), String(cString: name) == point.rawValue else { return }
      raise(SIGKILL)
    #endif
  }
}
