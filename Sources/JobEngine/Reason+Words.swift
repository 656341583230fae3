extension Reason {
  /// What a stored ``text`` says to a person, in a few words. A sentence, and whatever a newer version wrote, stays
  /// as it is.
  public static func words(for text: String) -> String {
    if let phrase = phrases[text] { return phrase }
    for (prefix, word) in [("exit-", "exit code"), ("signal-", "signal")] where text.hasPrefix(prefix) {
      if let number = Int32(text.dropFirst(prefix.count)) { return "\(word) \(number)" }
    }
    return text
  }

  private static let phrases: [String: String] = Dictionary(
    uniqueKeysWithValues: ([
      (.unverified, "session not verified"), (.tokenTooShort, "token expires too soon"),
      (.unauthenticated, "nobody is logged in"), (.notReady, "session not known yet"),
      (.tokenRefused, "the service refused the token"),
      (.tokenRefusedAgain, "this token and the one before were refused"),
      (.overlap, "an earlier run was still going on"),
      (.missed, "missed while off"), (.paused, "job is paused"), (.queueFull, "too many deferred"),
      (.laterDue, "a later due took its place"), (.earlierDue, "an earlier due is queued"),
      (.constraints, "constraints not met in time"), (.deferredTooLong, "no verified session in time"),
      (.timeLimit, "time limit"), (.byRequest, "on request"), (.replaced, "replaced by the next due"),
      (.shutdown, "shutdown"), (.constraintLost, "a constraint was lost"),
      (.crash, "daemon or machine went down"), (.noDefinition, "job file is gone"),
      (.exit(.unknown), "exit status unknown"),
    ] as [(Reason, String)]).map { ($0.text, $1) })
}
