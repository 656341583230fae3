public import AuthModel

/// `nightlatch.toml`: what holds for the daemon as a whole.
public struct DaemonSettings: Hashable, Sendable {
  /// `[foreground] when`, unless a provider says otherwise.
  public var foreground: ForegroundMode = .auto
  /// `drain_concurrency`: how many deferred runs of a provider are started at once.
  public var drainConcurrency: Int = 4
  /// `[ledger] keep`: how long verdicts are remembered.
  public var keepLedger: Duration = .seconds(90 * 24 * 3600)

  public init() {}
}
