import AuthModel

/// A job's share of the foreground queue. Outlives the job's definition: the file may come back.
struct QueueShare: Sendable {
  var provider: ProviderName
  var count = 0
  /// The entry that coalescing would replace; nil when it has left.
  var latest: RunRecord?
}
