/// What a token source on this machine had to offer: nothing was spent for it.
struct Supply {
  var verdict: RefreshVerdict
  /// Nil unless the verdict is a success of some kind.
  var answer: TokenAnswer?
  /// What happened, for people; without secrets.
  var detail: String
  /// What a helper had to say, line by line; without secrets.
  var remarks: [String] = []
}
