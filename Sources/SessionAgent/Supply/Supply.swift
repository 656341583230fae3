import Scheduling

/// What a token source had to offer for which nothing was spent.
struct Supply {
  var verdict: RefreshVerdict
  /// Nil unless the verdict is a success of some kind.
  var answer: TokenAnswer?
  /// What happened, for people; without secrets.
  var detail: String
  /// What a helper had to say, line by line; without secrets.
  var remarks: [String] = []
  /// The server's clock, if there was a server, and how long it asks to be left alone.
  var date: WallTime?
  var retryAfter: Duration?
}
