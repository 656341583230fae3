/// How often to poll (RFC 8628 section 3.5).
struct DevicePacing: Hashable {
  /// Slower than this nobody is made to wait because of a bad network.
  static let longestBackoff = Duration.seconds(60)

  private var interval: Duration
  /// While the server can't be reached.
  private var backoff = Duration.zero

  init(interval: Duration) { self.interval = interval }

  /// Before the next poll.
  var pause: Duration { max(interval, backoff) }

  /// For this and all subsequent requests.
  mutating func slowedDown() {
    interval += .seconds(5)
    backoff = .zero
  }

  mutating func reached() { backoff = .zero }

  mutating func unreachable(retryAfter: Duration?) {
    backoff = max(min(pause * 2, Self.longestBackoff), retryAfter ?? .zero)
  }
}
